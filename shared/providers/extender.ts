import { createError } from '../errors/error.ts'
import type { PackageParameterization } from '../records/package-parameterization.ts'
import type { Provider } from './provider.ts'

/**
 * Creates the extender of provider instances. The extender parameterizes an instance with each
 * extension at most once. If this call fails, every later request gets the same error.
 * `findExtension` finds an extension of the old state that the program has not registered. Source:
 * docs/spec/providers.md#extension-parameterization.
 */
export function createExtender(
  findExtension: (ref: string) => PackageParameterization | undefined,
): {
  readonly registerExtension: (ref: string, extension: PackageParameterization) => void
  /**
   * Extends an instance by the extension with the reference `ref`, and returns the instance. '' =
   * no extension. Throws STATE_INVALID for an unknown extension.
   */
  readonly extend: (provider: Provider, ref: string) => Promise<Provider>
} {
  const registeredExtensions = new Map<string, PackageParameterization>()
  const parameterizeCalls = new WeakMap<Provider, Map<string, Promise<void>>>()
  return {
    registerExtension: (ref, extension) => void registeredExtensions.set(ref, extension),
    async extend(provider, ref) {
      if (ref === '') return provider
      const extension = registeredExtensions.get(ref) ?? findExtension(ref)
      if (extension === undefined)
        throw createError(
          'STATE_INVALID',
          `the extension ${ref} of package '${provider.pkg}' is unknown`,
        )
      const providerCalls = parameterizeCalls.get(provider) ?? new Map<string, Promise<void>>()
      parameterizeCalls.set(provider, providerCalls)
      const parameterizeCall = providerCalls.get(ref) ?? provider.parameterize(extension)
      providerCalls.set(ref, parameterizeCall)
      await parameterizeCall
      return provider
    },
  }
}
