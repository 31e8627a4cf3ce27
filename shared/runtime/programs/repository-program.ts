import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { programLimits } from '../../config/program-limits.ts'
import { DeployError, error, hasCode } from '../../errors/error.ts'
import { sealingContextOf, type TriggerPorts } from '../../ports/documents.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ArchivesPort } from '../../ports/records.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import { hasProjectFile } from '../../programs/project/project-file.ts'
import { packProgram } from '../../programs/archive/program-archive.ts'
import type { BlobHash, StackId } from '../../records/ids.ts'
import type { RepositoryProgram } from '../../records/request.ts'
import {
  type ArchiveRequest,
  fetchRepositoryArchive,
} from '../../triggers/outbound/repository-archive.ts'
import {
  parseDocument,
  webhookDocument,
  webhookKeyOf,
} from '../../triggers/webhooks/webhook-document.ts'
import type { StackServer } from '../deployment/stack-server-deps.ts'
import { installProgramPackages, type PackageInstallDeps } from './install-packages.ts'
import type { ProgramFolders } from './program-folder.ts'

/** Dependencies of packing a repository's program. */
export interface RepositoryDeps
  extends Pick<TriggerPorts, 'documents' | 'sealing'>,
    Omit<PackageInstallDeps, 'processes'> {
  readonly outbound: OutboundPort
  readonly archives: Pick<ArchivesPort, 'put'>
  readonly requests: Pick<RequestsPort, 'getProgram' | 'putProgram'>
  /** Finds the packages of an earlier program. */
  readonly folders: ProgramFolders
  /** Creates the port of child processes. The port is closed when the program is packed. */
  readonly processes: () => PackageInstallDeps['processes']
}

/**
 * Packs a repository's files at a commit, with installed packages, and stores the archive of the
 * stack. Later generator runs of the deployment use it. `installProgramPackages` may reuse the
 * packages of the stack's last program. Throws WEBHOOK_UNKNOWN, OUTBOUND_*, ARCHIVE_*,
 * PROJECT_NOT_FOUND, INSTALL_FAILED, SEALED_UNREADABLE, and the errors of the blob store.
 */
export async function packRepository(
  deps: RepositoryDeps,
  stack: StackId,
  program: RepositoryProgram,
): Promise<BlobHash> {
  const request = await createArchiveRequest(deps, program)
  mkdirSync(deps.scratch, { recursive: true, mode: 0o700 })
  const temporaryFolder = mkdtempSync(join(deps.scratch, 'repository-'))
  const processes = deps.processes()
  try {
    const rootFolder = await fetchFiles(deps, request, temporaryFolder)
    const folder = join(rootFolder, program.folder)
    if (!hasProjectFile(folder))
      throw error(
        'PROJECT_NOT_FOUND',
        `${program.repository} has no project file in '${program.folder}' at ${program.commit}`,
        { hint: 'Correct the `folder` in the rule of the webhook.' },
      )
    await installProgramPackages(
      { ...deps, processes },
      folder,
      await findLastProgramFolder(deps, stack),
    )
    return await deps.archives.put(stack, (await packProgram(folder)).bytes)
  } finally {
    await processes.close()
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

/**
 * Returns an opener that also opens requests for programs of repositories, which it packs into
 * archives. The archive of an `up` becomes the stack's last program for later requests.
 */
export function openWithRepositories(
  open: StackServer['open'],
  deps: RepositoryDeps,
): StackServer['open'] {
  return async request => {
    const { stack, program, dryRun, options } = request
    if (program.kind !== 'repository') return open(request)
    const archive = await packRepository(deps, stack, program)
    const deployRequest = await open({ ...request, program: { kind: 'archive', archive } })
    // The program of a preview may come from a person who must not deploy.
    if (!dryRun && options.command === 'up') await deps.requests.putProgram(stack, archive)
    return deployRequest
  }
}

/** Creates the archive request for the repository's host, with the webhook's credential. */
async function createArchiveRequest(
  { documents, sealing }: RepositoryDeps,
  { repository, commit, webhook }: RepositoryProgram,
): Promise<ArchiveRequest> {
  const key = webhookKeyOf(webhook)
  const document = await documents.get(key)
  if (document === undefined)
    throw error('WEBHOOK_UNKNOWN', `the webhook ${webhook} no longer exists`)
  const { apiUrl, credential } = parseDocument(webhookDocument, document)
  const request = { repository, commit, apiUrl }
  if (credential === undefined) return request
  return { ...request, token: await sealing.open(credential, sealingContextOf(key)) }
}

/** Fetches the files of the repository, with retries after temporary failures. */
async function fetchFiles(
  { outbound, clock }: RepositoryDeps,
  request: ArchiveRequest,
  temporaryFolder: string,
): Promise<string> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    const folder = join(temporaryFolder, `files-${tryNumber}`)
    mkdirSync(folder)
    try {
      await fetchRepositoryArchive(outbound, request, { folder })
      return folder
    } catch (thrown) {
      if (tryNumber === programLimits.fetchTriesMax || !isTransient(thrown)) throw thrown
      await clock.sleep(programLimits.fetchPauseMs * 2 ** (tryNumber - 1))
    }
  }
}

/**
 * Reports whether a failure is temporary: no response, a status of 500 or more, or the status 429.
 */
function isTransient(thrown: unknown): boolean {
  if (!hasCode(thrown, 'OUTBOUND_FAILED') || !(thrown instanceof DeployError)) return false
  const { status } = thrown.details
  return typeof status !== 'number' || status >= 500 || status === 429
}

/** Returns the folder of the stack's last deployed program, from which packages can be reused. */
async function findLastProgramFolder(
  { requests, folders }: RepositoryDeps,
  stack: StackId,
): Promise<string | undefined> {
  const lastArchive = await requests.getProgram(stack)
  return lastArchive === undefined
    ? undefined
    : folders.open(stack, lastArchive).catch(() => undefined)
}
