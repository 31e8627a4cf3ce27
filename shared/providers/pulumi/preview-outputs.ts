import { emptyMap, type PropertyMap } from '../../values/value.ts'
import type { Abilities } from './negotiation.ts'
import type { ProviderSession } from './provider-session.ts'

/**
 * Returns the outputs of a preview without a call. Returns undefined if the provider must be
 * called. Absent outputs are unknown to the program.
 */
export function previewOutputsOf(
  session: ProviderSession,
  abilities: Abilities,
  inputs: PropertyMap,
) {
  if (session.isUnconfigured()) return session.settings.legacyPreview ? inputs : emptyMap
  return abilities.preview && !session.settings.noPreview ? undefined : inputs
}
