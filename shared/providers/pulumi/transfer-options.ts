import type { WireOptions } from '../../values/wire-options.ts'
import type { ProviderCapabilities } from './negotiation.ts'

/**
 * Returns the options of values sent in calls about resources and functions
 * (docs/spec/property-values.md#options-per-call). `unknowns`: whether unknown values are sent
 * instead of left out. `elideAssets`: assets are sent as hashes only.
 */
export function createSendOptions(
  capabilities: ProviderCapabilities,
  options: { readonly unknowns: boolean; readonly elideAssets?: boolean },
): WireOptions {
  return {
    unknowns: options.unknowns ? 'keep' : 'drop',
    secrets: capabilities.secrets,
    references: capabilities.references,
    allowsByteStrings: capabilities.bytes,
    outputs: false,
    elideAssets: options.elideAssets ?? false,
  }
}

/**
 * Returns the options of received values. Wrapped secrets are always accepted. `unknowns`: whether
 * unknown values are accepted instead of refused.
 */
export function createReceiveOptions(options: { readonly unknowns: boolean }): WireOptions {
  return {
    unknowns: options.unknowns ? 'keep' : 'reject',
    secrets: true,
    references: true,
    outputs: false,
    allowsByteStrings: true,
  }
}

/**
 * Returns the options of a configuration without wrapped values: in CheckConfig, in DiffConfig, and
 * in the `variables` of Configure.
 */
export function createConfigSendOptions(options: { readonly unknowns: boolean }): WireOptions {
  return {
    unknowns: options.unknowns ? 'keep' : 'drop',
    secrets: false,
    references: false,
    outputs: false,
    allowsByteStrings: false,
  }
}

/**
 * The options of Configure. Secrets and references are wrapped for every provider, because a
 * provider without handshake reports its capabilities only in the response.
 */
export const configureSendOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: false,
  allowsByteStrings: false,
}
