import { ApiFailure, createUnreachableFailure, readFailure } from './api-failure.ts'

/** The requests of the page to the API, with one token. */
export interface DashboardClient {
  /** Returns the JSON of a path. Throws ApiFailure, or the reason of an aborted signal. */
  readonly read: <Result>(path: string, signal?: AbortSignal) => Promise<Result>
  /** Sends JSON by POST, and returns the JSON of the response. Throws ApiFailure. */
  readonly send: <Result>(path: string, body: unknown) => Promise<Result>
  /** Removes the object of a path. Throws ApiFailure. */
  readonly remove: (path: string) => Promise<void>
  /** Opens an event stream after the event with the id `lastId`, if any. Throws ApiFailure. */
  readonly openStream: (
    path: string,
    options: { readonly lastId: string; readonly signal: AbortSignal },
  ) => Promise<ReadableStream<Uint8Array>>
}

/** The dependencies of a client. */
export interface DashboardClientDeps {
  readonly token: string
  readonly fetch: typeof fetch
  /** Waits for a time in ms, before a request that was refused by a rate limit is repeated. */
  readonly wait: (ms: number) => Promise<void>
  /** Receives the failure of every request whose token is missing, expired or revoked. */
  readonly onTokenRefused: (failure: ApiFailure) => void
}

interface ClientRequest extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>
}

/** The time for a read in ms. A state of 100,000 resources is large. */
const readTimeoutMs = 60_000
/** Repetitions of a read that a rate limit refused. */
const repetitionsMax = 5

/**
 * Creates a client. It sends the token only to the host of the page: every path begins with `/`,
 * and a redirect is an error.
 */
export function createDashboardClient(deps: DashboardClientDeps): DashboardClient {
  const request = async (path: string, init: ClientRequest): Promise<Response> => {
    const headers = { ...init.headers, authorization: `Bearer ${deps.token}` }
    const options: RequestInit = { ...init, headers, cache: 'no-store', redirect: 'error' }
    const response = await fetchOrFail(deps, path, options)
    if (response.ok) return response
    const bodyText = await response.text().catch(() => '')
    // The end of a session aborts its other requests. Their incomplete bodies are no API failures.
    init.signal?.throwIfAborted()
    const failure = readFailure(response.status, bodyText)
    if (failure.status === 401) deps.onTokenRefused(failure)
    throw Object.assign(failure, { retryAfterMs: readRetryAfterMs(response) })
  }
  const requestRepeatedly = async (path: string, init: ClientRequest): Promise<Response> => {
    for (let repetition = 0; ; repetition += 1)
      try {
        return await request(path, init)
      } catch (thrown) {
        const isLimited = thrown instanceof ApiFailure && thrown.status === 429
        if (!isLimited || repetition >= repetitionsMax) throw thrown
        await deps.wait(retryAfterMsOf(thrown))
        init.signal?.throwIfAborted()
      }
  }
  return {
    async read(path, signal) {
      const timeoutSignal = AbortSignal.timeout(readTimeoutMs)
      const signals = signal === undefined ? [timeoutSignal] : [signal, timeoutSignal]
      try {
        return await readJson(await requestRepeatedly(path, { signal: AbortSignal.any(signals) }))
      } catch (thrown) {
        const isLate = timeoutSignal.aborted && signal?.aborted !== true
        throw isLate ? createUnreachableFailure() : thrown
      }
    },
    send: async (path, body) =>
      readJson(
        await request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    async remove(path) {
      await request(path, { method: 'DELETE' })
    },
    async openStream(path, { lastId, signal }) {
      const headers: Record<string, string> = lastId === '' ? {} : { 'last-event-id': lastId }
      const { body } = await request(path, { headers, signal })
      if (body === null) throw createUnreachableFailure()
      return body
    },
  }
}

async function fetchOrFail(
  { fetch: fetchPath }: DashboardClientDeps,
  path: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetchPath(path, init)
  } catch (thrown) {
    init.signal?.throwIfAborted()
    // A TypeError is a failed connection. Browsers hide its reason from pages.
    if (thrown instanceof TypeError) throw createUnreachableFailure()
    throw thrown
  }
}

/** Returns the JSON of a response. Its shape is that of the OpenAPI document. */
async function readJson<Result>(response: Response): Promise<Result> {
  return (await response.json()) as Result
}

const retryAfterDefaultMs = 1_000

function readRetryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '')
  return seconds > 0 ? seconds * 1_000 : retryAfterDefaultMs
}

function retryAfterMsOf(failure: ApiFailure): number {
  return 'retryAfterMs' in failure ? Number(failure.retryAfterMs) : retryAfterDefaultMs
}
