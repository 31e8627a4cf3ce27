import { parseGitAddress, createPluginAddressError } from './git-address.ts'

/** A plugin to install. */
export interface PluginRequest {
  readonly kind: string
  readonly name: string
  /** '' = the latest of its source. */
  readonly version: string
  /** '' = the default sources of the plugin. */
  readonly downloadUrl: string
  /** `linux-amd64` → hex SHA-256. */
  readonly checksums: ReadonlyMap<string, string>
}

/**
 * A source of plugins. `http`: archives on a plain server. `github`, `gitlab`: archives of
 * releases. `git`: a repository.
 */
export type PluginSource =
  | { readonly kind: 'http'; readonly url: string }
  | {
      readonly kind: 'github'
      readonly host: string
      readonly organization: string
      readonly repository: string
    }
  | { readonly kind: 'gitlab'; readonly host: string; readonly project: string }
  | { readonly kind: 'git'; readonly url: string }

/**
 * Returns the operating system and the architecture as archive names spell them. '' = Pulumi
 * publishes no plugins for this system or architecture.
 */
export function machineOf(platform: string, arch: string): { os: string; arch: string } {
  const systems: Readonly<Record<string, string>> = {
    linux: 'linux',
    darwin: 'darwin',
    win32: 'windows',
  }
  const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
  return { os: systems[platform] ?? '', arch: architectures[arch] ?? '' }
}

/** Returns the published name of an archive. */
export function assetNameOf(
  { kind, name, version }: Pick<PluginRequest, 'kind' | 'name' | 'version'>,
  machine: { readonly os: string; readonly arch: string },
): string {
  return `pulumi-${kind}-${name}-v${version}-${machine.os}-${machine.arch}.tar.gz`
}

/**
 * Parses a download address. Throws PLUGIN_ADDRESS for an invalid address or an unsupported scheme.
 * Source: docs/spec/provider-protocol.md#download-sources.
 */
export function parsePluginSource(
  address: string,
  plugin: Pick<PluginRequest, 'kind' | 'name'>,
): PluginSource {
  const url = URL.parse(address)
  if (url === null) throw createPluginAddressError(address, 'is not a valid address')
  const parts = url.pathname.split('/').filter(part => part !== '')
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return { kind: 'http', url: url.href }
    case 'github:': {
      const [organization = '', repository = repositoryOf(plugin)] = parts
      if (url.host === '' || organization === '' || parts.length > 2)
        throw createPluginAddressError(
          address,
          'must have the form github://<host>/<organization>[/<repository>]',
        )
      return { kind: 'github', host: url.host, organization, repository }
    }
    case 'gitlab:': {
      const [project = ''] = parts
      if (url.host === '' || project === '' || parts.length > 1)
        throw createPluginAddressError(address, 'must have the form gitlab://<host>/<project id>')
      return { kind: 'gitlab', host: url.host, project }
    }
    case 'git:':
      return { kind: 'git', url: parseGitAddress(address).url }
    default:
      throw createPluginAddressError(address, `has the unsupported scheme '${url.protocol}'`)
  }
}

/** Returns the address of a source, against which the patterns of overrides are matched. */
export function sourceAddressOf(source: PluginSource): string {
  if (source.kind === 'http' || source.kind === 'git') return source.url
  if (source.kind === 'gitlab') return `gitlab://${source.host}/${source.project}`
  return `github://${source.host}/${source.organization}/${source.repository}`
}

/** Returns the address of the archive on a plain server, with the placeholders filled in. */
export function archiveUrlOf(
  url: string,
  plugin: Pick<PluginRequest, 'kind' | 'name' | 'version'>,
  machine: { readonly os: string; readonly arch: string },
): string {
  const values = { NAME: plugin.name, VERSION: plugin.version, OS: machine.os, ARCH: machine.arch }
  let archiveUrl = url
  for (const [key, value] of Object.entries(values))
    for (const placeholder of [`$%7B${key}%7D`, `\${${key}}`])
      archiveUrl = archiveUrl.replaceAll(placeholder, encodeURIComponent(value))
  return `${archiveUrl.replace(/\/$/, '')}/${encodeURIComponent(assetNameOf(plugin, machine))}`
}

/** Returns the default repository of a plugin. */
function repositoryOf({ kind, name }: Pick<PluginRequest, 'kind' | 'name'>): string {
  if (kind === 'converter' && name !== 'yaml' && name !== 'hcl') return `pulumi-converter-${name}`
  if (kind === 'tool' && !name.startsWith('pulumi-tool-')) return `pulumi-tool-${name}`
  return `pulumi-${name}`
}
