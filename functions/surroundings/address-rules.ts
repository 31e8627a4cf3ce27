import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { isTruthy } from '../../shared/config/truthy.ts'
import type { AddressRules } from '../../shared/triggers/addresses.ts'

/** Which addresses calls to the outside may reach, as the environment says; public ones else. */
export function addressRules(env: Readonly<Record<string, string | undefined>>): AddressRules {
  const networks = (env[outboundVariables.networks] ?? '').split(',').map(one => one.trim())
  return {
    allowedNetworks: networks.filter(one => one !== ''),
    isPlainAllowed: isTruthy(env[outboundVariables.plain]),
  }
}
