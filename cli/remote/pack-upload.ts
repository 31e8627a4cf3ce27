import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { hasCode } from '../../shared/errors/error.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { packProgram, type ProgramArchive } from '../../shared/programs/archive/program-archive.ts'
import { type NodePlatform, requireBinaryOf } from '../../shared/programs/hosts/binary-platform.ts'
import { buildGo } from '../../shared/programs/hosts/go-build.ts'
import { uploadedBinaryName } from '../../shared/programs/hosts/installed-packages.ts'
import { withoutUndefined } from '../../shared/programs/hosts/program-environment.ts'
import { readTextOption } from '../../shared/programs/hosts/runtime-option.ts'
import { hasProjectFile } from '../../shared/programs/project/find-project-file.ts'
import { locateProgram, readProject } from '../../shared/programs/project/project-file.ts'
import { machineOf } from '../../shared/providers/install/plugin-address.ts'
import { readUserVariables } from '../../shared/runtime/environment/user-variables.ts'

/**
 * Packs the program of a folder for an upload. A program in Go without the runtime option `binary`
 * is built for the platform of the server, which has no Go. A built binary is part of the upload,
 * also if `.gitignore` excludes it. Throws the errors of `packProgram`, of `readPlatform`, of
 * `requireBinaryOf` and of `buildGo`.
 */
export async function packUpload(
  folder: string,
  readPlatform: () => Promise<NodePlatform>,
): Promise<ProgramArchive> {
  const project = hasProjectFile(folder) ? readProject(folder) : undefined
  if (project?.runtime !== 'go') return packProgram(folder)
  const { programFolder: directory, entryPoint } = locateProgram(project)
  const binaryOption = readTextOption(project, 'binary')
  if (binaryOption !== '')
    return packWithBinary(folder, resolve(directory, binaryOption), readPlatform)
  const { os, arch } = await readPlatform()
  const processes = createProcesses()
  try {
    const goDeps = { processes, env: withoutUndefined(readUserVariables()) }
    const platform = machineOf(os, arch)
    const binary = await buildGo(goDeps, { kind: 'program', directory, entryPoint, platform })
    try {
      return await packProgram(folder, {
        name: uploadedBinaryName,
        sourcePath: binary.command,
      })
    } finally {
      binary.cleanUp()
    }
  } finally {
    await processes.close()
  }
}

/**
 * Packs a program with its built binary. A binary outside of the folder is not packed: it must be
 * at the same path on the server.
 */
async function packWithBinary(
  folder: string,
  file: string,
  readPlatform: () => Promise<NodePlatform>,
): Promise<ProgramArchive> {
  const name = relative(folder, file)
  if (name.startsWith('..')) return packProgram(folder)
  const platform = await readPlatform().catch((thrown: unknown) => {
    // An older server does not report its platform, and checks the binary itself.
    if (hasCode(thrown, 'FEATURE_MISSING')) return { os: '', arch: '' }
    throw thrown
  })
  requireBinaryOf(file, platform)
  return packProgram(folder, { name, sourcePath: realpathSync(file) })
}
