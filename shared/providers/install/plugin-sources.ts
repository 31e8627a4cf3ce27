import { createError, messageOf } from '../../errors/error.ts'
import {
  sourceAddressOf,
  type PluginSource,
  parsePluginSource,
  type PluginRequest,
} from './plugin-address.ts'

const pulumiAddress = 'github://api.github.com/pulumi'
const fallbackAddress = 'https://get.pulumi.com/releases/plugins'

/**
 * Returns the sources of a plugin, in the order of the attempts. A requested address is the only
 * source. A package of Pulumiverse has only Pulumiverse as its source. Otherwise the sources are
 * Pulumi's repository and then get.pulumi.com. `overrides` is
 * PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES. An override of the first source replaces all sources.
 * Throws PLUGIN_ADDRESS. Source:
 * docs/spec/provider-protocol.md#download-sources.
 */
export function pluginSourcesOf(plugin: PluginRequest, overrides: string): readonly PluginSource[] {
  const rules = parseRules(overrides)
  const address = plugin.downloadUrl || pulumiverseAddressOf(plugin)
  const source = parsePluginSource(address || pulumiAddress, plugin)
  const override = findOverride(rules, sourceAddressOf(source))
  if (override !== undefined) return [parsePluginSource(override, plugin)]
  if (address !== '') return [source]
  return [
    source,
    parsePluginSource(findOverride(rules, fallbackAddress) ?? fallbackAddress, plugin),
  ]
}

interface OverrideRule {
  readonly pattern: RegExp
  readonly url: string
}

function parseRules(overrides: string): readonly OverrideRule[] {
  if (overrides === '') return []
  return overrides.split(',').map(pair => {
    const [pattern = '', url = '', ...extraParts] = pair.split('=')
    if (pattern === '' || url === '' || extraParts.length > 0)
      throw createOverridesError(
        `must have the form regexp1=URL1,regexp2=URL2, but is '${overrides}'`,
      )
    return { pattern: parsePattern(pattern), url }
  })
}

/** Parses a pattern of Go, which writes named groups as `(?P<`. Throws PLUGIN_ADDRESS. */
function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text.replaceAll('(?P<', '(?<'))
  } catch (cause) {
    throw createOverridesError(`has an invalid pattern: ${messageOf(cause)}`)
  }
}

function createOverridesError(problem: string): Error {
  return createError('PLUGIN_ADDRESS', `PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES ${problem}`)
}

function findOverride(rules: readonly OverrideRule[], address: string): string | undefined {
  for (const { pattern, url } of rules) {
    const match = pattern.exec(address)
    if (match === null) continue
    let resolvedUrl = url
    for (const [name, value] of Object.entries(match.groups ?? {}))
      resolvedUrl = resolvedUrl.replaceAll(`\${${name}}`, value ?? '')
    for (const [groupIndex, value] of match.entries())
      resolvedUrl = resolvedUrl.replaceAll(`$${groupIndex}`, value ?? '')
    return resolvedUrl
  }
  return undefined
}

/**
 * Packages whose plugins Pulumiverse publishes. Source: the list in pkg/util/pulumiverse_list.go of
 * Pulumi 3.274.1.
 */
const pulumiversePackages = (
  'acme aquasec astra aws-eksa buildkite clickhouse cockroach concourse configcat cpln doppler ' +
  'dynatrace esxi-native exoscale fortios gandi github-credentials googleworkspace grafana harbor ' +
  'hcp heroku ibm matchbox mssql ngrok purrl redpanda scaleway sentry statuscake talos time unifi ' +
  'vercel vra zitadel'
).split(' ')

function pulumiverseAddressOf({ kind, name }: PluginRequest): string {
  const isPulumiverse = kind === 'resource' && pulumiversePackages.includes(name)
  return isPulumiverse ? 'github://api.github.com/pulumiverse' : ''
}
