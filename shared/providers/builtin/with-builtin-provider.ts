import { builtinPackage } from '../../names/builtin.ts'
import type { PluginHost, Provider } from '../provider.ts'

/** Returns a host that serves the built-in package with `builtin`, and other packages with `host`. */
export function withBuiltinProvider(host: PluginHost, builtin: Provider): PluginHost {
  return {
    ...host,
    load: (plugin, options) =>
      options.pkg === builtinPackage ? Promise.resolve(builtin) : host.load(plugin, options),
    obtain: async plugin =>
      plugin.name === builtinPackage ? { path: 'built in' } : host.obtain(plugin),
  }
}
