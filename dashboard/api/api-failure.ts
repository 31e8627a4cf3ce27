/** The parts of a failed request that the page shows. */
interface FailureParts {
  readonly code: string
  readonly message: string
  readonly hint: string
  /** The status of the response. 0: there was no response. */
  readonly status: number
}

/** A failed request: an error of the API, or a server that did not answer. */
export class ApiFailure extends Error {
  readonly code: string
  readonly hint: string
  readonly status: number

  constructor({ code, message, hint, status }: FailureParts) {
    super(message)
    this.name = 'ApiFailure'
    this.code = code
    this.hint = hint
    this.status = status
  }
}

/** Returns the failure of a request that got no response. */
export function createUnreachableFailure(): ApiFailure {
  return new ApiFailure({
    code: 'API_UNREACHABLE',
    message: 'the server does not answer',
    hint: 'Check that `antichain serve` is running. The page tries again by itself.',
    status: 0,
  })
}

/**
 * Returns the failure of a response with an error status. A body without a code does not come from
 * the API, but for example from a proxy.
 */
export function readFailure(status: number, bodyText: string): ApiFailure {
  const body = parseObject(bodyText)
  const { code, message, hint } = body
  if (typeof code === 'string' && typeof message === 'string')
    return new ApiFailure({ code, message, hint: typeof hint === 'string' ? hint : '', status })
  return new ApiFailure({
    code: 'API_ANSWER_UNKNOWN',
    message: `the server answered with status ${status}, and without an error of the API`,
    hint: 'A proxy may have answered in its place. Try again, or check the proxy.',
    status,
  })
}

/**
 * Returns any thrown value as a failure. An aborted request is no failure, so a caller with a
 * signal checks the signal first.
 */
export function toFailure(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure({
    code: 'DASHBOARD_FAILED',
    message: `the page could not read the response: ${String(thrown)}`,
    hint: 'Reload the page. If the error remains, report it with this message.',
    status: 0,
  })
}

/** Returns the failure of a part of the page that threw an error while it was rendered. */
export function createDisplayFailure(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure({
    code: 'DASHBOARD_FAILED',
    message: `an error stopped the display of this part: ${String(thrown)}`,
    hint: 'Show it again, or reload the page. If the error remains, report it with this message.',
    status: 0,
  })
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
