import { parse } from 'semver'
import { isProviderType, packageOf } from '../../names/provider-reference.ts'
import { compareVersions } from '../../names/version.ts'
import { pluginOf } from '../../providers/registry.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { PackageRequest } from './goal.ts'

/**
 * What a default provider is asked for when the program does not say: of each package the highest
 * version that the language host reported, or, when it reported none at all, that the providers of
 * the state have. Source: Pulumi's engine, default provider packages.
 */
export function defaultPackages(
  reported: ReadonlyMap<string, PackageRequest>,
  resources: readonly ResourceState[],
): ReadonlyMap<string, PackageRequest> {
  if (reported.size > 0) return reported
  const found = new Map<string, PackageRequest>()
  for (const { urn, type, inputs } of resources) {
    if (!isProviderType(type)) continue
    const { version, downloadUrl } = pluginOf(urn, inputs)
    const request = { pkg: packageOf(type), version, downloadUrl, checksums: new Map() }
    const known = found.get(request.pkg)
    if (known === undefined || compareVersions(known.version, version) <= 0)
      found.set(request.pkg, request)
  }
  return found
}

/**
 * The name of the default provider for a request: `default`, the parts of the version, and the
 * address with all that a name may not have replaced.
 */
export function defaultNameOf(request: PackageRequest): string {
  const version = parse(request.version)
  const parts = version === null ? [] : [version.major, version.minor, version.patch]
  const more = version === null ? [] : [...version.prerelease, ...version.build]
  const address = request.downloadUrl === '' ? [] : [qualifiedName(request.downloadUrl)]
  return ['default', ...parts, ...more, ...address].join('_')
}

/** Any text as a qualified name: parts between slashes, byte by byte. */
function qualifiedName(text: string): string {
  const parts = text.split('/').filter(part => part !== '')
  const lawful = parts.map(part =>
    Buffer.from(part)
      .toString('latin1')
      .replaceAll(/[^A-Za-z0-9_.-]/g, '_'),
  )
  return lawful.join('/') || '_'
}
