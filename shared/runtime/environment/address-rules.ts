import { outboundVariables } from '../../config/outbound-variables.ts'
import { isTruthy } from '../../config/truthy.ts'
import type { AddressRules } from '../../triggers/outbound/address-filter.ts'

/**
 * Reads the rules for outbound addresses from the environment. By default, only public addresses
 * and only HTTPS are allowed.
 */
export function readAddressRules(env: Readonly<Record<string, string | undefined>>): AddressRules {
  const networks = (env[outboundVariables.allowedNetworks] ?? '')
    .split(',')
    .map(network => network.trim())
  return {
    allowedNetworks: networks.filter(network => network !== ''),
    isHttpAllowed: isTruthy(env[outboundVariables.plainHttp]),
  }
}
