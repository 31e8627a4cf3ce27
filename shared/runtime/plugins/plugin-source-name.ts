import { createError } from '../../errors/error.ts'
import { cacheLocationOf } from '../../providers/install/git-address.ts'
import { hideCredentials } from '../../providers/install/hide-credentials.ts'
import type { PluginSource } from '../../providers/install/plugin-address.ts'
import { pluginSourcesOf } from '../../providers/install/plugin-sources.ts'
import type { PluginDescriptor } from '../../providers/provider.ts'
import {
  formatSourceAddress,
  formatStoredName,
  parseSourceAddress,
} from '../../providers/terraform/install/source-address.ts'

/** The plugin kind of Terraform providers, in the store and on the command line. */
export const terraformKind = 'terraform'

/**
 * Returns the name of the source from which a plugin comes. Administrators allow sources by
 * patterns of these names. Equal sources have equal names, however a program writes the source. A
 * name has one of these forms:
 * - `<organization>/<plugin>` on GitHub; `pulumi/<plugin>` also stands for get.pulumi.com
 * - `<host>/<namespace>/<type>` of a Terraform provider
 * - a URL and the plugin's name for other servers
 *
 * Throws PLUGIN_ADDRESS and TERRAFORM_ADDRESS_INVALID.
 */
export function sourceNameOf(plugin: PluginDescriptor): string {
  if (plugin.kind === terraformKind) return formatSourceAddress(parseSourceAddress(plugin.name))
  const { checksums = new Map<string, string>() } = plugin
  const [source] = pluginSourcesOf({ ...plugin, checksums }, '')
  return source === undefined ? plugin.name : formatSource(source, plugin.name)
}

function formatSource(source: PluginSource, pluginName: string): string {
  if (source.kind === 'git') return hideCredentials(source.url)
  if (source.kind === 'http') {
    const address = hideCredentials(source.url)
    // A pattern compares whole segments of a path, so an address must not contain encoded
    // separators or a part after the path.
    if (/[?#]|%2f|%5c/i.test(address))
      throw createError(
        'PLUGIN_ADDRESS',
        `the address of the plugin '${pluginName}' has a query, a fragment or an encoded slash: ${address}`,
      )
    return `${address.replace(/\/$/, '')}/${pluginName}`
  }
  if (source.kind === 'gitlab') return `gitlab://${source.host}/${source.project}/${pluginName}`
  const { host, organization, repository } = source
  const shortName = repository === `pulumi-${pluginName}` ? pluginName : repository
  const owner = host === 'api.github.com' ? organization : `github://${host}/${organization}`
  return `${owner}/${shortName}`
}

/** Returns the name of a plugin in the store. */
export function storedNameOf(plugin: PluginDescriptor): string {
  return plugin.kind === terraformKind
    ? formatStoredName(parseSourceAddress(plugin.name))
    : cacheLocationOf(plugin).name
}
