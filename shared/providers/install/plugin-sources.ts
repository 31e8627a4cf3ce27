import { error, messageOf } from '../../errors/error.ts'
import {
  addressOf,
  type PluginSource,
  parsePluginSource,
  type PluginRequest,
} from './plugin-address.ts'

const pulumis = 'github://api.github.com/pulumi'
const fallback = 'https://get.pulumi.com/releases/plugins'

/**
 * Returns the sources of a plugin, in order: its address. Without an address, Pulumi's repositories
 * and then get.pulumi.com. `overrides` is PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES. Throws
 * PLUGIN_ADDRESS. Source: docs/spec/provider-protocol.md#download-sources.
 */
export function pluginSourcesOf(plugin: PluginRequest, overrides: string): readonly PluginSource[] {
  const rules = parseRules(overrides)
  const address = plugin.downloadUrl || knownAddressOf(plugin)
  const first = parsePluginSource(address || pulumis, plugin)
  const overridden = findOverride(rules, addressOf(first))
  if (overridden !== undefined) return [parsePluginSource(overridden, plugin)]
  if (address !== '') return [first]
  return [first, parsePluginSource(findOverride(rules, fallback) ?? fallback, plugin)]
}

interface OverrideRule {
  readonly pattern: RegExp
  readonly url: string
}

function parseRules(overrides: string): readonly OverrideRule[] {
  if (overrides === '') return []
  return overrides.split(',').map(pair => {
    const [pattern = '', url = '', ...more] = pair.split('=')
    if (pattern === '' || url === '' || more.length > 0)
      throw overridesError(`must have the form regexp1=URL1,regexp2=URL2, but is '${overrides}'`)
    return { pattern: parsePattern(pattern), url }
  })
}

/** Go writes named groups as `(?P<`. */
function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text.replaceAll('(?P<', '(?<'))
  } catch (cause) {
    throw overridesError(`has an invalid pattern: ${messageOf(cause)}`)
  }
}

function overridesError(what: string): Error {
  return error('PLUGIN_ADDRESS', `PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES ${what}`)
}

function findOverride(rules: readonly OverrideRule[], address: string): string | undefined {
  for (const { pattern, url } of rules) {
    const match = pattern.exec(address)
    if (match === null) continue
    let made = url
    for (const [name, value] of Object.entries(match.groups ?? {}))
      made = made.replaceAll(`\${${name}}`, value ?? '')
    for (const [at, value] of match.entries()) made = made.replaceAll(`$${at}`, value ?? '')
    return made
  }
  return undefined
}

/** Packages whose plugins Pulumiverse publishes. Source: Pulumi's list. */
const pulumiverse = (
  'acme aquasec astra aws-eksa buildkite clickhouse cockroach concourse configcat cpln doppler ' +
  'dynatrace esxi-native exoscale fortios gandi github-credentials googleworkspace grafana harbor ' +
  'hcp heroku ibm matchbox mssql ngrok purrl redpanda scaleway sentry statuscake talos time unifi ' +
  'vercel vra zitadel'
).split(' ')

function knownAddressOf({ kind, name }: PluginRequest): string {
  const isKnown = kind === 'resource' && pulumiverse.includes(name)
  return isKnown ? 'github://api.github.com/pulumiverse' : ''
}
