import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createError } from '../../errors/error.ts'
import { sealingContextOf, type TriggerPorts } from '../../ports/documents.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ArchivesPort } from '../../ports/records.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { ClockPort } from '../../ports/system.ts'
import { packProgram } from '../../programs/archive/program-archive.ts'
import type { BlobHash, StackId } from '../../records/ids.ts'
import type { RepositoryProgram } from '../../records/stack-request.ts'
import { type ArchiveRequest, exchangeToken } from '../../triggers/outbound/repository-archive.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'
import { webhookDocument, webhookKeyOf } from '../../triggers/webhooks/webhook-document.ts'
import type { StackServerDeps } from '../deployment/stack-server-deps.ts'
import { withFetchRetry } from './fetch-retry.ts'
import type { InstallProgram } from './install-job.ts'
import { copyPackages, readPackageMarker } from './package-marker.ts'
import { openPackageRegistries } from './registries/package-registry.ts'
import type { ProgramFolders } from './program-folder.ts'
import { unpackArchive } from './unpack-stored-archive.ts'

/** Dependencies of packing a repository's program. */
export interface RepositoryDeps extends Pick<TriggerPorts, 'documents' | 'sealing'> {
  readonly outbound: OutboundPort
  readonly clock: Pick<ClockPort, 'sleep'>
  readonly archives: Pick<ArchivesPort, 'put'>
  readonly requests: Pick<RequestsPort, 'getProgram' | 'putProgram'>
  /** The folders of earlier programs, whose packages can be reused. */
  readonly folders: ProgramFolders
  /** The parent folder of temporary files. */
  readonly scratch: string
  readonly install: InstallProgram
}

/**
 * Lets the installer fetch, install and pack a repository's program at a commit. Stores the result
 * as an archive of the stack, which later generator runs use too. This process runs no code of the
 * program. If the program needs the same packages as the stack's last program, the packages are
 * copied from that program. Throws WEBHOOK_UNKNOWN, OUTBOUND_*, ARCHIVE_*, PROJECT_NOT_FOUND,
 * INSTALL_FAILED, SEALED_UNREADABLE, RECORD_DAMAGED, and the errors of the stores.
 */
export async function packRepository(
  deps: RepositoryDeps,
  stack: StackId,
  program: RepositoryProgram,
): Promise<BlobHash> {
  const lastFolder = await findLastProgramFolder(deps, stack)
  const knownPackages = lastFolder === undefined ? undefined : readPackageMarker(lastFolder)
  const request = await createArchiveRequest(deps, program)
  const { folder, ignoreScripts = false } = program
  const { archive, packages } = await deps.install({
    ...request,
    folder,
    ignoreScripts,
    registries: await openPackageRegistries(deps),
    ...(knownPackages === undefined ? {} : { knownPackages }),
  })
  const isIncomplete = packages === 'known' && lastFolder !== undefined
  const bytes = isIncomplete ? await addPackages(deps, archive, lastFolder) : archive
  return deps.archives.put(stack, bytes)
}

/** Returns the archive of a packed program with the packages of another program. */
async function addPackages(
  { scratch }: RepositoryDeps,
  archive: Uint8Array,
  otherProgramFolder: string,
): Promise<Uint8Array> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const targetFolder = mkdtempSync(join(scratch, 'repository-'))
  try {
    await unpackArchive(archive, { targetFolder, name: 'packed program' })
    copyPackages(otherProgramFolder, targetFolder)
    return (await packProgram(targetFolder)).bytes
  } finally {
    rmSync(targetFolder, { recursive: true, force: true })
  }
}

/**
 * Returns an opener that also opens requests for programs of repositories. The opener packs such a
 * program into an archive. The archive of an `up` becomes the stack's last program for later
 * requests.
 */
export function withRepositoryPrograms(
  open: StackServerDeps['open'],
  deps: RepositoryDeps,
): StackServerDeps['open'] {
  return async request => {
    const { stack, program, dryRun, options } = request
    if (program.kind !== 'repository') return open(request)
    const archive = await packRepository(deps, stack, program)
    const deployRequest = await open({ ...request, program: { kind: 'archive', archive } })
    // The program of a preview may come from a person who must not deploy, so later requests do not
    // use it.
    if (!dryRun && options.command === 'up') await deps.requests.putProgram(stack, archive)
    return deployRequest
  }
}

/**
 * Creates the archive request for the repository's host. The request contains the webhook's
 * credential only if the host returns no temporary address of the archive.
 */
async function createArchiveRequest(
  { documents, sealing, outbound, clock }: RepositoryDeps,
  { repository, commit, webhook }: RepositoryProgram,
): Promise<ArchiveRequest> {
  const key = webhookKeyOf(webhook)
  const document = await documents.get(key)
  if (document === undefined)
    throw createError('WEBHOOK_UNKNOWN', `the webhook ${webhook} no longer exists`)
  const { form, apiUrl, credential } = parseDocumentValue(webhookDocument, document)
  const request = { repository, commit, apiUrl, form }
  if (credential === undefined) return request
  const token = await sealing.open(credential, sealingContextOf(key))
  return withFetchRetry(clock, () => exchangeToken(outbound, { ...request, token }))
}

/** Returns the folder of the stack's last recorded program, from which packages can be reused. */
async function findLastProgramFolder(
  { requests, folders }: RepositoryDeps,
  stack: StackId,
): Promise<string | undefined> {
  const lastArchive = await requests.getProgram(stack)
  return lastArchive === undefined
    ? undefined
    : folders.open(stack, lastArchive).catch(() => undefined)
}
