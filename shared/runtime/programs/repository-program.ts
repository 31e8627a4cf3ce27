import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { programLimits } from '../../config/program-limits.ts'
import { DeployError, error, hasCode } from '../../errors/error.ts'
import { sealingContextOf, type TriggerPorts } from '../../ports/documents.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { BlobsPort } from '../../ports/records.ts'
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
import type { StackServer } from '../deployment/stack-server.ts'
import { installProgramPackages, type PackageInstallDeps } from './install-packages.ts'
import type { ProgramFolders } from './program-folder.ts'

/** What a repository's program is made ready with. */
export interface RepositoryDeps
  extends Pick<TriggerPorts, 'documents' | 'sealing'>,
    Omit<PackageInstallDeps, 'processes'> {
  readonly outbound: OutboundPort
  readonly blobs: Pick<BlobsPort, 'put'>
  readonly requests: Pick<RequestsPort, 'getProgram' | 'putProgram'>
  /** Where an earlier program's packages are found. */
  readonly folders: ProgramFolders
  /** Child processes, that are closed when the program is ready. */
  readonly processes: () => PackageInstallDeps['processes']
}

/**
 * Makes the archive of a program of the files of a repository at a commit, with its packages, and
 * keeps it as a blob: whoever goes on with the deployment finds that, and no one fetches again.
 * Packages are taken from the program that the stack was last deployed with, if its lock file was
 * the same. Throws WEBHOOK_UNKNOWN, OUTBOUND_*, ARCHIVE_*, PROJECT_NOT_FOUND, INSTALL_FAILED,
 * SEALED_UNREADABLE, and what the blob store throws.
 */
export async function packRepository(
  deps: RepositoryDeps,
  stack: StackId,
  program: RepositoryProgram,
): Promise<BlobHash> {
  const request = await createArchiveRequest(deps, program)
  mkdirSync(deps.scratch, { recursive: true, mode: 0o700 })
  const making = mkdtempSync(join(deps.scratch, 'repository-'))
  const processes = deps.processes()
  try {
    const top = await fetchFiles(deps, request, making)
    const folder = join(top, program.folder)
    if (!hasProjectFile(folder))
      throw error(
        'PROJECT_NOT_FOUND',
        `${program.repository} has no project file in '${program.folder}' at ${program.commit}`,
        { hint: 'Correct the `folder` that the rule of the webhook names.' },
      )
    await installProgramPackages({ ...deps, processes }, folder, await findLastFolder(deps, stack))
    return await deps.blobs.put((await packProgram(folder)).bytes)
  } finally {
    await processes.close()
    rmSync(making, { recursive: true, force: true })
  }
}

/**
 * Opens requests as `open` does, and those for programs of repositories, of which it makes
 * archives. What is deployed becomes the program of the stack, for whatever asks for its last one.
 */
export function openWithRepositories(
  open: StackServer['open'],
  deps: RepositoryDeps,
): StackServer['open'] {
  return async request => {
    const { stack, program, dryRun, options } = request
    if (program.kind !== 'repository') return open(request)
    const archive = await packRepository(deps, stack, program)
    const opened = await open({ ...request, program: { kind: 'archive', archive } })
    // What a preview runs may come from somebody who may not deploy.
    if (!dryRun && options.command === 'up') await deps.requests.putProgram(stack, archive)
    return opened
  }
}

/** What is asked of the repository's host, and with which credential. */
async function createArchiveRequest(
  { documents, sealing }: RepositoryDeps,
  { repository, commit, webhook }: RepositoryProgram,
): Promise<ArchiveRequest> {
  const key = webhookKeyOf(webhook)
  const stored = await documents.get(key)
  if (stored === undefined)
    throw error('WEBHOOK_UNKNOWN', `there is no webhook ${webhook} any more`)
  const { apiUrl, credential } = parseDocument(webhookDocument, stored)
  const request = { repository, commit, apiUrl }
  if (credential === undefined) return request
  return { ...request, token: await sealing.open(credential, sealingContextOf(key)) }
}

/** The files of the repository; a host that has a bad moment is asked again. */
async function fetchFiles(
  { outbound, clock }: RepositoryDeps,
  request: ArchiveRequest,
  making: string,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const folder = join(making, `files-${number}`)
    mkdirSync(folder)
    try {
      await fetchRepositoryArchive(outbound, request, { folder })
      return folder
    } catch (thrown) {
      if (number === programLimits.fetchTriesMax || !isTransient(thrown)) throw thrown
      await clock.sleep(programLimits.fetchPauseMs * 2 ** (number - 1))
    }
  }
}

/** No answer, or one that says nothing of what was asked for. */
function isTransient(thrown: unknown): boolean {
  if (!hasCode(thrown, 'OUTBOUND_FAILED') || !(thrown instanceof DeployError)) return false
  const { status } = thrown.details
  return typeof status !== 'number' || status >= 500 || status === 429
}

/** The program that the stack was last deployed with; without it packages are installed anew. */
async function findLastFolder(
  { requests, folders }: RepositoryDeps,
  stack: StackId,
): Promise<string | undefined> {
  const last = await requests.getProgram(stack)
  return last === undefined ? undefined : folders.open(last).catch(() => undefined)
}
