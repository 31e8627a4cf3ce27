import type { ErrorCode } from '../../errors/catalogue.ts'
import { DeployError, error } from '../../errors/error.ts'

/** Codes of self-managed backends, by the code of the same error of a store of an installation. */
const backendCodesByStoreCode: Partial<Record<ErrorCode, ErrorCode>> = {
  STORE_DENIED: 'BACKEND_DENIED',
  STORE_MISSING: 'BACKEND_MISSING',
  STORE_CREDENTIALS: 'BACKEND_CREDENTIALS',
  STORE_REGION_WRONG: 'BACKEND_MISSING',
}

/**
 * Returns the error of a backend for an error of a client library. `action` names the request.
 * Without a response, the error is temporary.
 */
export function backendErrorOf(action: string, thrown: unknown, status?: number): DeployError {
  if (thrown instanceof DeployError) return toBackendError(thrown)
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return error(codeOfStatus(status), `${action}: ${reason}`, {
    cause: thrown,
    ...(status === undefined ? { hint: 'Check the network and the health of the service.' } : {}),
  })
}

/**
 * Creates a function that runs the requests to the store at `address`. `toError` converts the error
 * of a request that failed. `request` names the request and the store.
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
  const code = backendCodesByStoreCode[thrown.code]
  if (code === undefined) return thrown
  return error(code, thrown.message, { details: thrown.details, cause: thrown })
}

function codeOfStatus(status: number | undefined): ErrorCode {
  if (status === 401) return 'BACKEND_CREDENTIALS'
  if (status === 403) return 'BACKEND_DENIED'
  if (status === 404) return 'BACKEND_MISSING'
  return 'STORE_UNAVAILABLE'
}
