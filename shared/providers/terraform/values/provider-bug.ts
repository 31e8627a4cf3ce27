import { type DeployError, createError } from '../../../errors/error.ts'
import { type CtyPath, formatCtyPath, formatPlace } from './cty-path.ts'

/**
 * Maximum depth of types and values. Deeper input is refused, because it could exhaust the call
 * stack. Real schemas have fewer than 30 levels.
 */
const depthMax = 200

/** Returns the error TERRAFORM_PROVIDER_BUG about a part of a value or schema. */
export function createProviderBug(message: string, path: CtyPath = []): DeployError {
  return createError('TERRAFORM_PROVIDER_BUG', `${message}${formatPlace(path)}`, {
    details: { path: formatCtyPath(path) },
  })
}

/** Throws TERRAFORM_PROVIDER_BUG if types or values are nested too deeply. */
export function checkDepth(depth: number): void {
  if (depth > depthMax)
    throw createProviderBug(`the provider sent more than ${depthMax} nested levels`)
}
