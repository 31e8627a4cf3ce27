import type { CtyValue } from '../values/cty-value.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import type { TerraformSession } from './terraform-session.ts'

/**
 * Warns if a call changed the identity of an object. An identity must stay the same for the life of
 * its object, but Terraform's core accepts a change.
 */
export function warnOfChangedIdentity(
  session: TerraformSession,
  urn: string,
  [before, after]: readonly [CtyValue | undefined, CtyValue | undefined],
): void {
  if (before === undefined || after === undefined || areEqualRaw(before, after)) return
  session.warn(
    `${urn}: provider '${session.pkg.name}' changed the identity of the object. This is a bug of the provider`,
  )
}
