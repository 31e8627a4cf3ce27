import type { WireOptions } from '../../values/wire.ts'
import type { Abilities } from './negotiation.ts'

/**
 * Returns the options of values sent in resource calls
 * (docs/spec/property-values.md#options-per-call). `old`: assets as hashes only.
 */
export function createSendOptions(
  abilities: Abilities,
  how: { readonly unknowns: boolean; readonly old?: boolean },
): WireOptions {
  return {
    unknowns: how.unknowns ? 'keep' : 'drop',
    secrets: abilities.secrets,
    references: abilities.references,
    bytes: abilities.bytes,
    outputs: false,
    elideAssets: how.old ?? false,
  }
}

/**
 * Returns the options of received values. Wrapped secrets are always accepted, unknowns only in a
 * preview.
 */
export function createReceiveOptions(how: { readonly unknowns: boolean }): WireOptions {
  return {
    unknowns: how.unknowns ? 'keep' : 'reject',
    secrets: true,
    references: true,
    outputs: false,
    bytes: true,
  }
}

/** Returns the options of CheckConfig and DiffConfig: no wrapped values. */
export function createConfigSendOptions(how: { readonly unknowns: boolean }): WireOptions {
  return {
    unknowns: how.unknowns ? 'keep' : 'drop',
    secrets: false,
    references: false,
    outputs: false,
    bytes: false,
  }
}

/**
 * The options of Configure: wrapped secrets and references, although the abilities of the provider
 * are not known yet.
 */
export const configureSendOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: false,
  bytes: false,
}
