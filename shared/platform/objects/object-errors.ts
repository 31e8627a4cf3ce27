import { catalogue, type ErrorCode } from '../../errors/catalogue.ts'
import { DeployError, createError, messageOf } from '../../errors/error.ts'

/** The error codes of self-managed backends, by the code of the same failure in an installation. */
const backendCodesByStoreCode: Partial<Record<ErrorCode, ErrorCode>> = {
  STORE_DENIED: 'BACKEND_DENIED',
  STORE_MISSING: 'BACKEND_MISSING',
  STORE_CREDENTIALS: 'BACKEND_CREDENTIALS',
  STORE_REGION_WRONG: 'BACKEND_MISSING',
}

/**
 * Returns the error of a backend for an error of a client library. `action` names the request.
 * Without a response, the code is STORE_UNAVAILABLE. The message has one line.
 */
export function backendErrorOf(
  action: string,
  thrown: unknown,
  response: { readonly status?: number | undefined; readonly reason?: string | undefined } = {},
): DeployError {
  if (thrown instanceof DeployError) return toBackendError(thrown)
  const { status } = response
  const reason =
    response.reason || messageOf(thrown) || `the service responded with status ${status}`
  const code = codeOfStatus(status)
  return createError(code, `${action}: ${reason.trim().replace(/\s*\n\s*/g, ' ')}`, {
    cause: thrown,
    ...(code === 'STORE_UNAVAILABLE'
      ? { hint: 'Check the network and the health of the service.' }
      : {}),
  })
}

/**
 * Creates a function that runs the requests to the store at `address`. `toError` converts the error
 * of a request that failed. The argument `request` of `toError` names the request and the store.
 */
export function createRequestRunner(
  address: string,
  toError: (request: string, thrown: unknown) => DeployError,
): <T>(action: string, run: () => Promise<T>) => Promise<T> {
  return async (action, run) => {
    try {
      return await run()
    } catch (thrown) {
      throw toError(`${action} in ${address}`, thrown)
    }
  }
}

function toBackendError(thrown: DeployError): DeployError {
  const { details } = thrown
  // In an installation, an unexpected response is a bug of Antichain. For a backend, the user chose
  // the service, and may have to change a setting.
  if (thrown.code === 'INTERNAL_ASSERTION')
    return createError('BACKEND_DENIED', thrown.message, {
      details,
      cause: thrown,
      hint: 'The service refused the request. Check the address and the settings of the bucket.',
    })
  const code = backendCodesByStoreCode[thrown.code]
  if (code === undefined) return thrown
  const hasOwnHint = thrown.hint !== catalogue[thrown.code].hint
  return createError(code, thrown.message, {
    details,
    cause: thrown,
    ...(hasOwnHint ? { hint: thrown.hint } : {}),
  })
}

function codeOfStatus(status: number | undefined): ErrorCode {
  if (status === 401) return 'BACKEND_CREDENTIALS'
  if (status === 403) return 'BACKEND_DENIED'
  if (status === 404) return 'BACKEND_MISSING'
  return 'STORE_UNAVAILABLE'
}
