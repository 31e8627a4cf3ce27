import { type DeployError, error, isErrorCode } from '../../shared/errors/error.ts'

/** Returns the error of a refused request: with its own code, or REQUEST_REFUSED. */
export function refusalErrorOf({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): DeployError {
  return isErrorCode(code) ? error(code, message) : error('REQUEST_REFUSED', `${code}: ${message}`)
}
