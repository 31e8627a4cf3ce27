import type { Urn } from '../../../names/urn.ts'
import type { CheckFailure } from '../../../providers/provider.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { formatCheckFailure } from '../../check-failure-message.ts'
import type { Failed } from '../stage.ts'

/** The resource whose Check failed, with the inputs that were checked. */
interface CheckedResource {
  readonly urn: Urn
  readonly type: string
  readonly name: string
  readonly inputs: PropertyMap
}

/** Returns the failure of a resource with one error per failed check; it ends the deployment. */
export function failCheck(
  { urn, type, name, inputs }: CheckedResource,
  failures: readonly CheckFailure[],
): Failed {
  const diagnostics = failures.map(failure => ({
    message: formatCheckFailure({ type, name }, failure, inputs),
    urn,
  }))
  return { kind: 'failed', failure: { diagnostics, ends: 'deployment' } }
}
