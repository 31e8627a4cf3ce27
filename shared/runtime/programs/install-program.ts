import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createError } from '../../errors/error.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import { packProgram } from '../../programs/archive/program-archive.ts'
import { hasProjectFile } from '../../programs/project/find-project-file.ts'
import { withFetchRetry } from './fetch-retry.ts'
import type { InstalledProgram, ProgramInstallRequest } from './install-job.ts'
import { fetchRepositoryArchive } from '../../triggers/outbound/repository-archive.ts'
import { unpackArchive } from './unpack-stored-archive.ts'
import { getUploadedProgram } from './get-uploaded-program.ts'
import { installProgramPackages } from './install-packages.ts'
import type { PackageInstallDeps } from './run-package-command.ts'

/** Dependencies of the installer, which has no store, no queue and no key. */
export interface InstallerDeps extends Omit<PackageInstallDeps, 'processes'> {
  readonly outbound: OutboundPort
  /** Creates the port of child processes. The port is closed when the program is packed. */
  readonly processes: () => PackageInstallDeps['processes']
}

/**
 * Fetches a repository's files at a commit, or unpacks an uploaded program. Installs the packages
 * of the program and packs the program. Runs the scripts of packages, unless `ignoreScripts` is
 * set. Removes its temporary files. Throws OUTBOUND_*, ARCHIVE_*, PROJECT_* and INSTALL_FAILED.
 */
export async function installProgram(
  deps: InstallerDeps,
  request: ProgramInstallRequest,
): Promise<InstalledProgram> {
  mkdirSync(deps.scratch, { recursive: true, mode: 0o700 })
  const temporaryFolder = mkdtempSync(join(deps.scratch, 'repository-'))
  const processes = deps.processes()
  try {
    const rootFolder = await fetchFiles(deps, request, temporaryFolder)
    const folder = join(rootFolder, request.folder)
    if (!hasProjectFile(folder))
      throw createError(
        'PROJECT_NOT_FOUND',
        `${request.repository} has no project file in '${request.folder}' at ${request.commit}`,
        { hint: 'Correct the `folder` in the rule of the webhook.' },
      )
    const packages = await installProgramPackages({ ...deps, processes }, folder, request)
    const { bytes: archive } = await packProgram(folder)
    return { archive, packages }
  } finally {
    await processes.close()
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

/** Fetches the files of the repository, or unpacks the uploaded ones. Returns their folder. */
async function fetchFiles(
  { outbound, clock }: InstallerDeps,
  request: ProgramInstallRequest,
  temporaryFolder: string,
): Promise<string> {
  const { sourceAddress, source } = request
  const uploadedSource =
    sourceAddress === undefined ? source : await getUploadedProgram(clock, sourceAddress)
  if (uploadedSource !== undefined) {
    await unpackArchive(uploadedSource, { targetFolder: temporaryFolder, name: 'uploaded program' })
    return temporaryFolder
  }
  return withFetchRetry(clock, async tryNumber => {
    const folder = join(temporaryFolder, `files-${tryNumber}`)
    mkdirSync(folder)
    await fetchRepositoryArchive(outbound, request, { folder })
    return folder
  })
}
