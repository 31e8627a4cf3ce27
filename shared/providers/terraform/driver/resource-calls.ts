import type { MsgpackValue } from '../client/terraform-client.ts'
import { toPropertyPath } from '../mapping/property-paths.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { type DiagnosedProblem, formatProblem, type PathFormatter } from './diagnostics.ts'
import type { ObjectSchemaOfType, ResourceType } from './terraform-package.ts'
import { encodeValue } from './wire-values.ts'

/** Returns the formatter of the paths of a type, with the names of the program. */
export function formatPathOf({ names }: ObjectSchemaOfType): PathFormatter {
  return path => toPropertyPath(names, path)
}

/** Describes a failed call as one sentence with all errors. */
export function describeFailure(
  verb: string,
  urn: string,
  errors: readonly DiagnosedProblem[],
): string {
  return `cannot ${verb} '${urn}': ${errors.map(formatProblem).join('; ')}`
}

/** Encodes an identity for a request. An absent one is left out. */
export function encodeIdentity(
  { identity }: ResourceType,
  value: CtyValue | undefined,
): MsgpackValue | undefined {
  return identity === undefined || value === undefined
    ? undefined
    : encodeValue(value, identity.type)
}
