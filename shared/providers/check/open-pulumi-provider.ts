import { status } from '@grpc/grpc-js'
import { ProviderError } from '../provider-error.ts'
import type { PluginHost } from '../provider.ts'
import type { ProviderOpener } from './opened-provider.ts'
import { readPackageSchema } from './read-package-schema.ts'

/** Creates the opener of a plugin of Pulumi. The opener throws PLUGIN_MISSING and PLUGIN_FAILED. */
export function createPulumiOpener(
  host: PluginHost,
  plugin: { readonly name: string; readonly version: string },
): ProviderOpener {
  const { name, version } = plugin
  return async () => {
    const descriptor = { kind: 'resource', name, version, downloadUrl: '' }
    const provider = await host.load(descriptor, { pkg: name, packageConfig: {} })
    return {
      description: `Pulumi protocol${provider.version === '' ? '' : `, version ${provider.version}`}`,
      provider,
      async readSchema() {
        try {
          const text = await provider.describe?.getSchema({ name: '', version: '' })
          return text === undefined || isEmptySchema(text) ? undefined : readPackageSchema(text)
        } catch (thrown) {
          if (thrown instanceof ProviderError && thrown.code === status.UNIMPLEMENTED)
            return undefined
          throw thrown
        }
      },
      async stop() {
        await provider.cancel()
        return undefined
      },
      close: provider.close,
    }
  }
}

/**
 * Reports whether a response contains no schema. A plugin written in Node that has none returns an
 * empty object.
 */
function isEmptySchema(text: string): boolean {
  return /^\s*(\{\s*\})?\s*$/.test(text)
}
