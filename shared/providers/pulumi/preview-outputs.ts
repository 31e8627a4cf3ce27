import { emptyMap, type PropertyMap } from '../../values/value.ts'
import type { ProviderCapabilities } from './negotiation.ts'
import type { ProviderSession } from './provider-session.ts'

/**
 * Returns the outputs of a preview in which the provider is not called, or undefined if the
 * provider must be called. The program sees absent outputs as unknown.
 */
export function previewOutputsOf(
  session: ProviderSession,
  capabilities: ProviderCapabilities,
  inputs: PropertyMap,
) {
  if (session.isUnconfigured()) return session.settings.isLegacyPreview ? inputs : emptyMap
  return capabilities.preview && !session.settings.isPreviewDisabled ? undefined : inputs
}
