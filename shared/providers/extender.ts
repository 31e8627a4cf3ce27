import { error } from '../errors/error.ts'
import type { Extension } from '../records/extension.ts'
import type { Provider } from './provider.ts'

/**
 * Creates the extender of provider instances. It applies each extension to an instance once and
 * does not retry a refused one. Source: docs/spec/providers.md#extension-parameterization.
 */
export function createExtender(extensionOf: (ref: string) => Extension | undefined): {
  readonly registerExtension: (ref: string, extension: Extension) => void
  /** Returns the extended instance. Throws STATE_INVALID for an unknown extension. */
  readonly extend: (provider: Provider, ref: string) => Promise<Provider>
} {
  const known = new Map<string, Extension>()
  const made = new WeakMap<Provider, Map<string, Promise<void>>>()
  return {
    registerExtension: (ref, extension) => void known.set(ref, extension),
    async extend(provider, ref) {
      if (ref === '') return provider
      const extension = known.get(ref) ?? extensionOf(ref)
      if (extension === undefined)
        throw error('STATE_INVALID', `the extension ${ref} of package '${provider.pkg}' is unknown`)
      const ofProvider = made.get(provider) ?? new Map<string, Promise<void>>()
      made.set(provider, ofProvider)
      const extending = ofProvider.get(ref) ?? provider.parameterize(extension)
      ofProvider.set(ref, extending)
      await extending
      return provider
    },
  }
}
