import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { installLimits as limits } from '../../../config/install-limits.ts'
import { createError, messageOf } from '../../../errors/error.ts'
import { hideCredentials } from '../../install/hide-credentials.ts'

/** Dependencies of requests to registries. */
export interface RegistryHttpDeps {
  readonly fetch: typeof fetch
  readonly pause: (pauseMs: number) => Promise<void>
  /** Reports a message to the user. Must not throw. */
  readonly report: (severity: 'info' | 'warning', text: string) => void
}

/** A request to a registry. `token` is sent only to the host of the address. */
export interface RegistryRequest {
  readonly url: string
  readonly token?: string | undefined
}

/** A small response. */
export interface RegistryResponse {
  /** The address after redirects. */
  readonly url: string
  readonly status: number
  readonly contentType: string
  readonly bytes: Buffer
}

/**
 * Fetches a small document. Repeats the request after a failure of the network, and after the
 * status 429 or a status of at least 500. Throws TERRAFORM_REGISTRY_UNREACHABLE after the last
 * attempt, and for a response that is too large.
 */
export function fetchDocument(
  request: RegistryRequest,
  deps: RegistryHttpDeps,
): Promise<RegistryResponse> {
  return withRegistryRetries(deps, request.url, async () => {
    const { response, url, stopTimeout } = await openResponse(request, deps)
    try {
      const chunks: Buffer[] = []
      let sizeBytes = 0
      for await (const chunk of toReadable(response)) {
        chunks.push(Buffer.from(chunk))
        sizeBytes += chunk.length
        if (sizeBytes > limits.releaseBytesMax) throw new FinalError('the response is too large')
      }
      const contentType = response.headers.get('content-type') ?? ''
      return { url, status: response.status, contentType, bytes: Buffer.concat(chunks) }
    } finally {
      stopTimeout()
    }
  })
}

/**
 * Downloads a file. Returns its size and its SHA-256 in hex. Throws TERRAFORM_REGISTRY_UNREACHABLE,
 * PLUGIN_TOO_LARGE and errors of the file system.
 */
export function downloadFile(
  request: RegistryRequest,
  file: string,
  deps: RegistryHttpDeps,
): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
  return withRegistryRetries(deps, request.url, async () => {
    const { response, stopTimeout, restartTimeout } = await openResponse(request, deps)
    try {
      if (!response.ok) throw new StatusError(response.status)
      const hash = createHash('sha256')
      let sizeBytes = 0
      const meter = new Transform({
        transform(chunk: Buffer, _encoding, callback) {
          restartTimeout()
          sizeBytes += chunk.length
          hash.update(chunk)
          if (sizeBytes <= limits.archiveBytesMax) return callback(null, chunk)
          callback(
            createError('PLUGIN_TOO_LARGE', `the file ${hideUrlSecrets(request.url)} is too large`),
          )
        },
      })
      await pipeline(toReadable(response), meter, createWriteStream(file, { mode: 0o600 }))
      return { sha256: hash.digest('hex'), sizeBytes }
    } finally {
      stopTimeout()
    }
  })
}

/** A response with the status of a failure. `isFinal`: a repetition would not change the status. */
class StatusError extends Error {
  readonly isFinal: boolean
  constructor(status: number) {
    super(`the server responded with the status ${status}`)
    this.name = 'Status'
    this.isFinal = !isTransient(status)
  }
}

/** A failure that a repetition cannot change, such as a URL without encryption. */
class FinalError extends Error {}

function isTransient(status: number): boolean {
  return status === 429 || status >= 500
}

async function withRegistryRetries<T>(
  { pause, report }: RegistryHttpDeps,
  url: string,
  send: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await send()
    } catch (thrown) {
      if (isLocalError(thrown)) throw thrown
      const isFinal =
        thrown instanceof FinalError || (thrown instanceof StatusError && thrown.isFinal)
      const reason = reasonOfFailure(thrown)
      if (isFinal || attempt >= limits.downloadAttemptsMax)
        throw createError(
          'TERRAFORM_REGISTRY_UNREACHABLE',
          `cannot fetch ${hideUrlSecrets(url)}: ${reason}`,
          {
            cause: thrown,
          },
        )
      const pauseMs = limits.downloadRetryPauseMs * 2 ** (attempt - 1)
      const attemptText = `[${attempt}/${limits.downloadAttemptsMax}]`
      report(
        'warning',
        `${hideUrlSecrets(url)}: ${reason}; retrying in ${pauseMs} ms ${attemptText}`,
      )
      await pause(pauseMs)
    }
}

/** Reports whether an error has one of Antichain's error codes, or comes from the file system. */
function isLocalError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const code = 'code' in thrown ? String(thrown.code) : ''
  return (
    thrown.name === 'DeployError' ||
    ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'ENOENT', 'EISDIR'].includes(code)
  )
}

/** Returns the reason of a failure. `fetch` puts it into the cause of its error. */
function reasonOfFailure(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  return messageOf(cause)
}

interface OpenedResponse {
  readonly response: Response
  readonly url: string
  /** Restarts the time limit for the next data, because some data arrived. */
  readonly restartTimeout: () => void
  readonly stopTimeout: () => void
}

/** Sends a request and follows redirects. A redirect to another host does not get the token. */
async function openResponse(
  { url: firstUrl, token }: RegistryRequest,
  { fetch: send }: RegistryHttpDeps,
): Promise<OpenedResponse> {
  const silenceAbort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const restartTimeout = (): void => {
    clearTimeout(timer)
    timer = setTimeout(
      () => silenceAbort.abort(new Error('the server does not respond')),
      limits.downloadIdleMs,
    )
  }
  const stopTimeout = (): void => clearTimeout(timer)
  restartTimeout()
  try {
    let url = firstUrl
    for (let redirectCount = 0; redirectCount <= limits.redirectsMax; redirectCount++) {
      requireEncryption(url)
      const isFirstHost = new URL(url).host === new URL(firstUrl).host
      const response = await send(url, {
        redirect: 'manual',
        signal: silenceAbort.signal,
        headers: {
          'User-Agent': 'antichain',
          ...(token === undefined || !isFirstHost ? {} : { Authorization: `Bearer ${token}` }),
        },
      })
      const location = response.headers.get('location')
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        if (isTransient(response.status)) throw await toStatusError(response)
        return { response, url, restartTimeout, stopTimeout }
      }
      await response.body?.cancel()
      url = new URL(location, url).href
    }
    throw new FinalError('too many redirects')
  } catch (thrown) {
    stopTimeout()
    throw thrown
  }
}

async function toStatusError(response: Response): Promise<Error> {
  await response.body?.cancel()
  return new StatusError(response.status)
}

/** Throws FinalError for plain HTTP, unless the address is on this machine. */
function requireEncryption(text: string): void {
  const url = URL.parse(text)
  if (url === null) throw new FinalError('it is not a valid address')
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return
  throw new FinalError(`${hideUrlSecrets(text)} is not an address with https`)
}

/** Returns an address for messages. Signed addresses have secrets in their query. */
function hideUrlSecrets(url: string): string {
  return hideCredentials(url.replace(/[?#].*$/s, ''))
}

function toReadable({ body }: Response): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body)
}
