import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TriggerPorts } from '../../ports/documents.ts'
import type { ArchivesPort } from '../../ports/records.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { ClockPort, ProcessesPort } from '../../ports/system.ts'
import { packProgram } from '../../programs/archive/program-archive.ts'
import { findInstalledEnvironment } from '../../programs/hosts/installed-packages.ts'
import { readProject } from '../../programs/project/project-file.ts'
import { errorSourceOf } from '../../providers/retry-policy.ts'
import type { BlobHash, StackId } from '../../records/ids.ts'
import { runsProgram } from '../../records/log.ts'
import type { DeploymentRequest } from '../../records/stack-request.ts'
import type { StackServerDeps } from '../deployment/stack-server-deps.ts'
import type { InstallProgram } from './install-job.ts'
import { planPackages } from './install-packages.ts'
import { copyPackages, readPackageMarker } from './package-marker.ts'
import { openPackageRegistries, type PackageRegistry } from './registries/package-registry.ts'
import type { ProgramFolders } from './program-folder.ts'
import { unpackArchive } from './unpack-stored-archive.ts'

/** The installed programs of a stack, by the marker of their packages. Entries may disappear. */
export interface InstalledPrograms {
  readonly find: (stack: StackId, marker: string) => Promise<BlobHash | undefined>
  readonly store: (stack: StackId, marker: string, archive: BlobHash) => Promise<void>
}

/** Dependencies of installing the packages of uploaded programs. */
export interface UploadedProgramDeps extends Pick<TriggerPorts, 'documents' | 'sealing'> {
  readonly requests: Pick<RequestsPort, 'getProgram'>
  readonly archives: Pick<ArchivesPort, 'get' | 'put'>
  readonly folders: ProgramFolders
  readonly install: InstallProgram
  readonly installedPrograms: InstalledPrograms
  /** Creates the port of child processes, which run no code of the program. */
  readonly processes: () => ProcessesPort
  readonly clock: Pick<ClockPort, 'now'>
  readonly env: Readonly<Record<string, string>>
  /** The parent folder of temporary files. */
  readonly scratch: string
}

/**
 * Returns an opener that first installs the packages of uploaded programs in Python, because
 * packages of the client's machine do not run on another machine. Packages with the same
 * requirements are copied from an earlier program of the stack. If the installation fails, a
 * command that does not run the program continues without the packages. Throws INSTALL_FAILED,
 * PROJECT_INVALID, SEALED_UNREADABLE, ARCHIVE_* and the errors of `open`.
 */
export function withInstalledPackages(
  open: StackServerDeps['open'],
  deps: UploadedProgramDeps,
): StackServerDeps['open'] {
  return async request => {
    const archive = await findArchive(deps, request)
    if (archive === undefined) return open(request)
    const { stack } = request
    const folder = await deps.folders.open(stack, archive)
    const { runtime } = readProject(folder)
    const isInstalled = findInstalledEnvironment(folder) !== undefined
    if (runtime !== 'python' || isInstalled) return open(request)
    const installedArchive = await installPackages(deps, { stack, archive, folder }).catch(
      (thrown: unknown) => {
        // A command that does not run the program continues, because only dynamic providers need
        // the packages.
        if (runsProgram(request.options) || errorSourceOf(thrown) === 'store') throw thrown
        return archive
      },
    )
    return open({ ...request, program: { kind: 'archive', archive: installedArchive } })
  }
}

/** Returns the archive of an uploaded program. Returns undefined if there is none. */
function findArchive(
  { requests }: UploadedProgramDeps,
  { stack, program }: DeploymentRequest,
): Promise<BlobHash | undefined> {
  if (program.kind === 'last') return requests.getProgram(stack)
  return Promise.resolve(program.kind === 'archive' ? program.archive : undefined)
}

/** An uploaded program of a stack: its archive, and the folder of the unpacked archive. */
interface UploadedProgram {
  readonly stack: StackId
  readonly archive: BlobHash
  readonly folder: string
}

/** Returns the archive of the program with its packages. */
async function installPackages(
  deps: UploadedProgramDeps,
  program: UploadedProgram,
): Promise<BlobHash> {
  const { archives, installedPrograms, install } = deps
  const { stack, archive, folder } = program
  const registries = await openPackageRegistries(deps)
  const marker = await readReusableMarker(deps, folder, registries)
  const earlierFolder =
    marker === undefined ? undefined : await findEarlierFolder(deps, stack, marker)
  if (earlierFolder !== undefined) return copyPackagesIntoProgram(deps, program, earlierFolder)
  const source = await archives.get(stack, archive)
  const { archive: bytes } = await install({
    repository: stack,
    commit: archive,
    apiUrl: '',
    folder: '',
    ignoreScripts: false,
    source,
    registries,
  })
  const installedArchive = await archives.put(stack, bytes)
  if (marker !== undefined) await installedPrograms.store(stack, marker, installedArchive)
  return installedArchive
}

/** Returns the marker that the packages will have, or undefined if they cannot be reused. */
async function readReusableMarker(
  { processes: createProcesses, clock, env }: UploadedProgramDeps,
  folder: string,
  registries: readonly PackageRegistry[],
): Promise<string | undefined> {
  const processes = createProcesses()
  try {
    const options = { ignoreScripts: false, registries }
    const plan = await planPackages({ processes, clock, env }, folder, options)
    return plan?.canReusePackages === true ? plan.marker : undefined
  } finally {
    await processes.close()
  }
}

/** Returns the folder of an installed program of the stack that has the same packages. */
async function findEarlierFolder(
  { installedPrograms, folders }: UploadedProgramDeps,
  stack: StackId,
  marker: string,
): Promise<string | undefined> {
  const archive = await installedPrograms.find(stack, marker)
  if (archive === undefined) return undefined
  // The archive may have been removed since, for example together with an old version.
  const folder = await folders.open(stack, archive).catch(() => undefined)
  return folder !== undefined && readPackageMarker(folder) === marker ? folder : undefined
}

async function copyPackagesIntoProgram(
  { archives, scratch }: UploadedProgramDeps,
  { stack, archive }: UploadedProgram,
  earlierFolder: string,
): Promise<BlobHash> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const targetFolder = mkdtempSync(join(scratch, 'uploaded-'))
  try {
    const bytes = await archives.get(stack, archive)
    await unpackArchive(bytes, { targetFolder, name: 'uploaded program' })
    copyPackages(earlierFolder, targetFolder)
    return await archives.put(stack, (await packProgram(targetFolder)).bytes)
  } finally {
    rmSync(targetFolder, { recursive: true, force: true })
  }
}
