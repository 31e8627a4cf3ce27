import { createProcesses } from '../../shared/platform/system/processes.ts'
import { packProgram, type ProgramArchive } from '../../shared/programs/archive/program-archive.ts'
import { buildGo } from '../../shared/programs/hosts/go-build.ts'
import { uploadedBinaryName } from '../../shared/programs/hosts/installed-packages.ts'
import { withoutUndefined } from '../../shared/programs/hosts/program-environment.ts'
import { readTextOption } from '../../shared/programs/hosts/runtime-option.ts'
import {
  hasProjectFile,
  locateProgram,
  readProject,
} from '../../shared/programs/project/project-file.ts'
import { machineOf } from '../../shared/providers/install/plugin-address.ts'
import { readUserVariables } from '../../shared/runtime/environment/user-variables.ts'

/** A platform in Node's names, such as `linux` and `x64`. */
export interface NodePlatform {
  readonly os: string
  readonly arch: string
}

/**
 * Packs the program of a folder for an upload. A program in Go without a binary is built for the
 * platform of the server, which has no Go. Throws the errors of `packProgram`, of `readPlatform` and
 * of `buildGo`.
 */
export async function packUpload(
  folder: string,
  readPlatform: () => Promise<NodePlatform>,
): Promise<ProgramArchive> {
  const project = hasProjectFile(folder) ? readProject(folder) : undefined
  if (project?.runtime !== 'go' || readTextOption(project, 'binary') !== '')
    return packProgram(folder)
  const { programFolder: directory, entryPoint } = locateProgram(project)
  const { os, arch } = await readPlatform()
  const processes = createProcesses()
  try {
    const goDeps = { processes, env: withoutUndefined(readUserVariables()) }
    const platform = machineOf(os, arch)
    const binary = await buildGo(goDeps, { kind: 'program', directory, entryPoint, platform })
    try {
      return await packProgram(folder, { name: uploadedBinaryName, file: binary.command })
    } finally {
      binary.cleanUp()
    }
  } finally {
    await processes.close()
  }
}
