import { type ErrorCode, catalogue } from '../../shared/errors/catalogue.ts'
import { type DeployError, error } from '../../shared/errors/error.ts'

/** Returns the error of a refused request: with its own code, or REQUEST_REFUSED. */
export function refusalErrorOf({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): DeployError {
  return isCode(code) ? error(code, message) : error('REQUEST_REFUSED', `${code}: ${message}`)
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code)
}
