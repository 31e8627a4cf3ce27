import type { WireOptions } from '../../values/wire.ts'
import type { Abilities } from './negotiation.ts'

/**
 * What goes to a provider in resource calls (docs/spec/property-values.md#options-per-call). `old`:
 * assets as hashes only.
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

/** What comes back: wrapped secrets are always taken, unknowns only in a preview. */
export function createReceiveOptions(how: { readonly unknowns: boolean }): WireOptions {
  return {
    unknowns: how.unknowns ? 'keep' : 'reject',
    secrets: true,
    references: true,
    outputs: false,
    bytes: true,
  }
}

/** CheckConfig and DiffConfig: nothing wrapped. */
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
 * Configure: secrets and references wrapped, although nobody knows yet whether the provider takes
 * them.
 */
export const configureSendOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: false,
  bytes: false,
}
