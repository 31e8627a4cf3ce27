import { rm } from 'node:fs/promises'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ReadEntry, extract } from 'tar'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { DeployError, createError, messageOf } from '../../errors/error.ts'
import { hostApis, repositoryArchiveUrlOf } from '../hosts/host-apis.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import { toPrintable } from '../printable.ts'
import type { WebhookFormName } from '../webhooks/webhook-forms.ts'

/** The repository and commit of an archive. */
export interface ArchiveRequest {
  readonly repository: string
  readonly commit: string
  readonly apiUrl: string
  /** The form of the webhook, which determines the API of the host. Default: `github`. */
  readonly form?: WebhookFormName | undefined
  /** Absent for a public repository, and with `location`. */
  readonly token?: string | undefined
  /** The temporary address of the archive, which the host returned for the token. */
  readonly location?: string | undefined
}

/** Limits of an archive. */
export interface ArchiveLimits {
  readonly bytesMax?: number
  readonly unpackedBytesMax?: number
  readonly entriesMax?: number
  readonly timeoutMs?: number
}

/**
 * Fetches the files of a repository at a commit into `folder`, which must exist and be empty. The
 * outer folder of the archive is omitted. Files, folders and internal symbolic links are accepted,
 * and an archive with any other entry is refused. So no file is written outside of `folder`, and no
 * link leads outside. No code of the archive is executed. The folder is removed before an error is
 * thrown. Throws ARCHIVE_INVALID, ARCHIVE_TOO_LARGE, OUTBOUND_REFUSED and OUTBOUND_FAILED.
 */
export async function fetchRepositoryArchive(
  outbound: OutboundPort,
  request: ArchiveRequest,
  { folder, limits = {} }: { readonly folder: string; readonly limits?: ArchiveLimits },
): Promise<void> {
  try {
    await download(outbound, request, {
      limits,
      readBody: body => unpackInto(body, folder, limits),
    })
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true })
    if (thrown instanceof DeployError) throw thrown
    throw createError(
      'ARCHIVE_INVALID',
      `cannot unpack the archive: ${toPrintable(messageOf(thrown))}`,
    )
  }
}

/**
 * Returns the packed archive of a repository at a commit, without unpacking it. Throws
 * ARCHIVE_TOO_LARGE, OUTBOUND_REFUSED and OUTBOUND_FAILED.
 */
export function readRepositoryArchive(
  outbound: OutboundPort,
  request: ArchiveRequest,
  limits: Pick<ArchiveLimits, 'bytesMax' | 'timeoutMs'> = {},
): Promise<Uint8Array> {
  const readBody = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return download(outbound, request, { limits, readBody })
}

/** Requests an archive, and passes its bytes up to the size limit to `readBody`. */
function download<T>(
  outbound: OutboundPort,
  request: ArchiveRequest,
  options: {
    readonly limits: ArchiveLimits
    readonly readBody: (body: AsyncIterable<Uint8Array>) => Promise<T>
  },
): Promise<T> {
  const { repository, token } = request
  const { limits, readBody } = options
  const outboundRequest = {
    method: 'GET',
    url: request.location ?? repositoryArchiveUrlOf(request.form ?? 'github', request),
    headers: token === undefined ? {} : createHeaders(request, token),
    timeoutMs: limits.timeoutMs ?? triggerLimits.archiveTimeoutMs,
    // `limitSize` checks the size, with a specific error.
    bytesMax: Number.POSITIVE_INFINITY,
    redirectsMax: triggerLimits.archiveRedirectsMax,
  } as const
  return outbound.call(outboundRequest, async ({ status, body }) => {
    if (status !== 200) throw createArchiveStatusError(repository, status)
    return readBody(limitSize(body, limits))
  })
}

/**
 * Exchanges the token of a request for the temporary address of its archive, if the host redirects
 * to another origin. GitHub does so for every archive. Returns the request unchanged if it has no
 * token, or if the host answers in another way. A redirect within the same origin is followed,
 * because the host may expect the token there. Throws OUTBOUND_REFUSED and OUTBOUND_FAILED.
 */
export async function exchangeToken(
  outbound: OutboundPort,
  request: ArchiveRequest,
): Promise<ArchiveRequest> {
  const { token, ...publicRequest } = request
  if (token === undefined) return request
  let url = repositoryArchiveUrlOf(request.form ?? 'github', request)
  for (let redirects = 0; redirects < triggerLimits.archiveRedirectsMax; redirects += 1) {
    const location = await readRedirect(outbound, request, url)
    if (location === undefined) return request
    if (location.origin !== new URL(url).origin)
      return { ...publicRequest, location: location.href }
    url = location.href
  }
  return request
}

/** Returns the target to which the host redirects a request with a token, or undefined if none. */
function readRedirect(
  outbound: OutboundPort,
  archiveRequest: ArchiveRequest,
  url: string,
): Promise<URL | undefined> {
  const { repository, token = '' } = archiveRequest
  const request = { method: 'GET', url, headers: createHeaders(archiveRequest, token) } as const
  return outbound.call(request, async ({ status, headers }) => {
    if (status >= 400) throw createArchiveStatusError(repository, status)
    const location = headers.get('location')
    const isRedirect = status >= 300 && status < 400 && location !== undefined
    return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
  })
}

function createHeaders({ form = 'github' }: ArchiveRequest, token: string) {
  return hostApis[form].createHeaders(token)
}

/**
 * Unpacks a packed archive into an existing folder. Throws ARCHIVE_INVALID, ARCHIVE_TOO_LARGE, and
 * the errors of the unpacker and of `packedBytes`.
 */
async function unpackInto(
  packedBytes: AsyncIterable<Uint8Array>,
  folder: string,
  limits: ArchiveLimits,
): Promise<void> {
  const checkEntry = createEntryCheck(limits)
  let refusal: DeployError | undefined
  const unpacker = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    noMtime: true,
    filter: (_path, entry) => {
      refusal ??= checkEntry(entry as ReadEntry)
      return refusal === undefined
    },
  })
  const readPacked = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of packedBytes) {
      if (refusal !== undefined) throw refusal
      yield chunk
    }
  }
  try {
    await pipeline(Readable.from(readPacked()), unpacker)
  } catch (thrown) {
    throw refusal ?? thrown
  }
  if (refusal !== undefined) throw refusal
  if (checkEntry.count() === 0) throw createError('ARCHIVE_INVALID', 'the archive has no files')
}

/** The header of an entry, which is checked before the entry is written. */
type EntryHeader = Pick<ReadEntry, 'path' | 'type' | 'linkpath' | 'size' | 'mode'>

/**
 * Creates the check that is called for each entry in order. The check returns the error of a
 * refused entry. An accepted entry loses the mode bits setuid, setgid and sticky. `count` returns
 * the number of checked entries.
 */
function createEntryCheck(limits: ArchiveLimits) {
  const bytesMax = limits.unpackedBytesMax ?? triggerLimits.archiveUnpackedBytesMax
  const entriesMax = limits.entriesMax ?? triggerLimits.archiveEntriesMax
  let unpackedBytes = 0
  let entryCount = 0
  const checkEntry = (entry: EntryHeader): DeployError | undefined => {
    unpackedBytes += entry.size ?? 0
    entryCount += 1
    if (unpackedBytes > bytesMax)
      return createError(
        'ARCHIVE_TOO_LARGE',
        `the archive has more than ${bytesMax} bytes unpacked`,
      )
    if (entryCount > entriesMax)
      return createError('ARCHIVE_TOO_LARGE', `the archive has more than ${entriesMax} entries`)
    const reason = refusalOf(entry)
    if (reason !== undefined)
      return createError(
        'ARCHIVE_INVALID',
        `the entry '${toPrintable(String(entry.path))}' of the archive ${reason}`,
      )
    entry.mode = (entry.mode ?? 0o644) & 0o777
    return undefined
  }
  return Object.assign(checkEntry, { count: () => entryCount })
}

function refusalOf({ path, type, linkpath }: EntryHeader): string | undefined {
  const parts = String(path).split('/')
  if (/[\\\0]/.test(path)) return 'has a name that other systems interpret differently'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'has an absolute path'
  if (parts.includes('..')) return 'leads out of its folder'
  if (['File', 'OldFile', 'ContiguousFile', 'Directory', 'GNUDumpDir'].includes(type))
    return undefined
  if (type !== 'SymbolicLink')
    return `is neither a file, a folder nor a symbolic link, but ${toPrintable(type)}`
  const innerPath = parts.slice(1)
  return leadsOutside(innerPath.join('/'), linkpath ?? '') ? 'links out of the archive' : undefined
}

/**
 * Reports whether a link at `path`, relative to the root of the repository, leads outside. Parent
 * steps are accepted only at the beginning: after a name, which may itself be a link, their target
 * is unknown.
 */
function leadsOutside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || /[\\\0]|^[A-Za-z]:/.test(target)) return true
  const steps = target.split('/').filter(step => step !== '' && step !== '.')
  const firstName = steps.findIndex(step => step !== '..')
  if (firstName >= 0 && steps.indexOf('..', firstName) >= 0) return true
  return posix.join(posix.dirname(path), ...steps).startsWith('..')
}

async function* limitSize(
  body: AsyncIterable<Uint8Array>,
  { bytesMax = triggerLimits.archiveBytesMax }: ArchiveLimits,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > bytesMax)
      throw createError('ARCHIVE_TOO_LARGE', `the archive has more than ${bytesMax} bytes`)
    yield chunk
  }
}

function createArchiveStatusError(repository: string, status: number): DeployError {
  const isAccessRefused = [401, 403, 404].includes(status)
  return createError(
    'OUTBOUND_FAILED',
    `the request for the archive of ${repository} failed with status ${status}`,
    {
      details: { status },
      ...(isAccessRefused
        ? { hint: 'Give the webhook a credential that can read the repository.' }
        : {}),
    },
  )
}
