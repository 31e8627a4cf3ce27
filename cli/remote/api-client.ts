import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { apiGroupHeader } from '../../shared/config/stack-groups.ts'
import { DeployError, createError, isErrorCode, messageOf } from '../../shared/errors/error.ts'
import type { Login } from './saved-login.ts'
import { parseForm } from '../../shared/values/parse-form.ts'

/** A request to a route of an API. `body` is sent as JSON. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the call may be repeated. Default: true, except for POST. */
  readonly isRepeatable?: boolean
}

/**
 * A client of the API. Its methods throw the errors of the API, API_UNREACHABLE and
 * API_ANSWER_UNKNOWN.
 */
export interface ApiClient {
  readonly call: (call: ApiCall) => Promise<unknown>
  /** Returns the text of a response, unparsed. */
  readonly getText: (path: string) => Promise<string>
  /** Uploads bytes to an address of the API, or to an address elsewhere that the API returned. */
  readonly upload: (
    destination: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    bytes: Uint8Array,
  ) => Promise<void>
  /** Opens a response that the caller reads as a stream. */
  readonly openStream: (
    path: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<Response>
}

const errorForm = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  /** The invalid part of the request, such as `body.rules.0.on`. */
  at: z.string().optional(),
})

/**
 * Creates a client. Without a token, its calls have no authorization. Repeatable calls and uploads
 * are retried after temporary failures, see `isTransientFailure`.
 */
export function createApiClient({
  url,
  token,
  group = '',
}: Pick<Login, 'url'> & Partial<Login>): ApiClient {
  const loginHeaders: Readonly<Record<string, string>> = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(group === '' ? {} : { [apiGroupHeader]: group }),
  }
  const callOnce = async ({ method, path, body, headers }: ApiCall, timeoutMs: number) => {
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await callHost(url, () =>
      fetch(`${url}${path}`, {
        method,
        // A call can name another group than the login.
        headers: { ...contentType, ...loginHeaders, ...headers },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    if (!response.ok) throw await apiErrorOf(response)
    return callHost(url, () => response.text())
  }
  const callForText = (call: ApiCall): Promise<string> =>
    withRetries(() => callOnce(call, apiLimits.callTimeoutMs), {
      mayRepeat: call.isRepeatable ?? call.method !== 'POST',
    })
  return {
    call: async call => parseResponse(url, await callForText(call)),
    getText: path => callForText({ method: 'GET', path }),
    upload: (destination, bytes) =>
      withRetries(() => uploadBytes({ url, loginHeaders }, destination, bytes), {
        mayRepeat: true,
      }),
    async openStream(path, headers) {
      const response = await callHost(url, () =>
        fetch(`${url}${path}`, {
          headers: { ...headers, ...loginHeaders },
          redirect: 'error',
          signal: AbortSignal.timeout(apiLimits.streamMs + apiLimits.callTimeoutMs),
        }),
      )
      if (response.ok) return response
      throw await apiErrorOf(response)
    },
  }
}

/** Retries temporary failures, if the call may be repeated. */
async function withRetries<T>(
  attemptCall: () => Promise<T>,
  { mayRepeat }: { readonly mayRepeat: boolean },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptCall()
    } catch (thrown) {
      if (!mayRepeat || attempt >= apiLimits.callAttemptsMax || !isTransientFailure(thrown))
        throw thrown
      await pauseBeforeRetry(attempt, thrown)
    }
  }
}

/**
 * Uploads bytes to the API with the token, or to another host without the token. The name of the
 * uploaded object is derived from the hash of the bytes. If the other host already has the object,
 * the upload is therefore complete.
 */
async function uploadBytes(
  {
    url,
    loginHeaders,
  }: { readonly url: string; readonly loginHeaders: Readonly<Record<string, string>> },
  destination: Parameters<ApiClient['upload']>[0],
  bytes: Uint8Array,
): Promise<void> {
  const isOwnApi = destination.url.startsWith('/')
  const target = isOwnApi ? `${url}${destination.url}` : destination.url
  const response = await callHost(target, () =>
    fetch(target, {
      method: 'PUT',
      headers: isOwnApi ? { ...destination.headers, ...loginHeaders } : destination.headers,
      body: Buffer.from(bytes),
      redirect: 'error',
      signal: AbortSignal.timeout(apiLimits.uploadTimeoutMs),
    }),
  )
  const isAlreadyUploaded = !isOwnApi && response.status === 412
  if (!response.ok && !isAlreadyUploaded)
    throw isOwnApi ? await apiErrorOf(response) : await uploadErrorOf(response)
  await response.body?.cancel()
}

/**
 * Returns the error of an upload that another host refused. The error contains only the error code
 * of that host, not its message.
 */
async function uploadErrorOf(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '')
  const [, code = 'no error code'] = /<Code>(\w{1,60})<\/Code>/.exec(text) ?? []
  const details = { status: response.status }
  const { host } = new URL(response.url)
  return createError('UPLOAD_REFUSED', `${host} refused the upload: ${code} (${response.status})`, {
    details,
  })
}

/** Calls a host, and returns the result. Throws API_UNREACHABLE if the call fails. */
async function callHost<T>(url: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (cause) {
    const [reason = ''] = messageOf(cause instanceof Error ? (cause.cause ?? cause) : cause).split(
      '\n',
    )
    const { origin, protocol } = new URL(url)
    const lacksTls = protocol === 'https:' && /wrong version number/i.test(reason)
    const message = lacksTls ? 'it does not use TLS; its address must begin with http://' : reason
    throw createError('API_UNREACHABLE', `${origin} is unreachable: ${message}`, { cause })
  }
}

/** Returns the origin of the address of a response, for a message. */
export function originOf(response: Response): string {
  return URL.parse(response.url)?.origin ?? 'the API'
}

/** Returns the error that a response of the API describes, as if it had occurred here. */
async function apiErrorOf(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '')
  const parsed = parseForm(errorForm, parseOrUndefined(text))
  const retryAfter = response.headers.get('retry-after')
  const details = { status: response.status, ...(retryAfter === null ? {} : { retryAfter }) }
  if (!parsed.success)
    return createError(
      'API_ANSWER_UNKNOWN',
      `${originOf(response)} responded with status ${response.status}`,
      {
        details,
      },
    )
  const { code, message, hint, at } = parsed.data
  if (!isErrorCode(code))
    return createError('API_ANSWER_UNKNOWN', `${code}: ${message}`, { details, hint })
  const location = at === undefined ? {} : { at }
  return createError(code, message, { details: { ...details, ...location }, hint })
}

/** Reports whether a failure is temporary: no connection, or status 429, 502 or 503. */
export function isTransientFailure(thrown: unknown): boolean {
  if (!(thrown instanceof DeployError)) return false
  const { code, details } = thrown
  const status = Number(details['status'] ?? 0)
  return code === 'API_UNREACHABLE' || status === 429 || status === 502 || status === 503
}

/**
 * Waits before a retry. The time doubles with each attempt, is at least the time that the API
 * requests, and is limited by `callTimeoutMs`.
 */
export async function pauseBeforeRetry(attempt: number, thrown: unknown): Promise<void> {
  const requestedMs =
    thrown instanceof DeployError ? Number(thrown.details['retryAfter'] ?? 0) * 1000 : 0
  const backoffMs = apiLimits.callRetryMs * 2 ** (attempt - 1)
  const ms = Math.min(Math.max(backoffMs, requestedMs || 0), apiLimits.callTimeoutMs)
  await new Promise(resolve => setTimeout(resolve, ms))
}

/** Parses the JSON of a response. `source`: its address, for API_ANSWER_UNKNOWN. */
export function parseResponse(source: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw createError('API_ANSWER_UNKNOWN', `the response of ${source} is not valid JSON`, {
      cause,
    })
  }
}

/** Parses a reply by its form. `source`: the address of the API, for API_ANSWER_UNKNOWN. */
export function parseReply<Form extends z.ZodType>(
  form: Form,
  reply: unknown,
  source: string,
): z.output<Form> {
  const parsed = parseForm(form, reply)
  if (parsed.success) return parsed.data
  const message = `the response of ${source} has an unknown form`
  throw createError('API_ANSWER_UNKNOWN', message, { cause: parsed.error })
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
