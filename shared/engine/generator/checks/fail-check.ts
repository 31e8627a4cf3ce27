import type { Urn } from '../../../names/urn.ts'
import type { CheckFailure } from '../../../providers/provider.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { formatCheckFailure } from '../../check-failure-message.ts'
import type { FailedResult } from '../stage.ts'

/** The resource whose Check failed, with the inputs that were checked. */
interface CheckedResource {
  readonly urn: Urn
  readonly type: string
  readonly name: string
  readonly inputs: PropertyMap
}

/**
 * Returns a failure with one error per problem that Check reported. The failure ends the
 * deployment.
 */
export function failCheck(
  { urn, type, name, inputs }: CheckedResource,
  failures: readonly CheckFailure[],
): FailedResult {
  const diagnostics = failures.map(failure => ({
    message: formatCheckFailure({ type, name }, failure, inputs),
    urn,
  }))
  return { kind: 'failed', failure: { diagnostics, endedPart: 'deployment' } }
}
