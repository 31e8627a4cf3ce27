import { parse } from 'semver'
import { isProviderType, packageOf } from '../../../names/provider-reference.ts'
import { compareVersions } from '../../../names/version.ts'
import type { RequiredPackage } from '../../../programs/required-packages.ts'
import { type PackageRequest, packageVersionOf } from '../../../providers/package-request.ts'
import { internalKey, readProviderPlugin } from '../../../providers/provider-inputs.ts'
import { createError } from '../../../errors/error.ts'
import type { ResourceState } from '../../../state/resource.ts'

/**
 * Returns the plugin of each package's default provider, which serves resources without an explicit
 * provider. The plugin has the highest version that the language host reported. If the host
 * reported no packages, the highest version in the state is used. Extensions have no default
 * provider. Throws PLUGIN_AMBIGUOUS when two plugins provide one package. Source:
 * `computeDefaultProviderPackages` in pkg/engine/plugins.go of Pulumi 3.274.1.
 */
export function chooseDefaultPackages(
  reportedPackages: readonly RequiredPackage[],
  resources: readonly ResourceState[],
): ReadonlyMap<string, PackageRequest> {
  const requests =
    reportedPackages.length > 0
      ? reportedPackages.filter(({ isExtension }) => !isExtension).map(toPackageRequest)
      : resources.flatMap(listProviderRequests)
  const sortedRequests = requests.toSorted((a, b) =>
    compareVersions(packageVersionOf(a), packageVersionOf(b)),
  )
  const requestsByPackage = new Map<string, PackageRequest>()
  for (const request of sortedRequests) {
    const existingRequest = requestsByPackage.get(request.pkg)
    if (existingRequest !== undefined && pluginKeyOf(existingRequest) !== pluginKeyOf(request))
      throw createError(
        'PLUGIN_AMBIGUOUS',
        `package "${request.pkg}" is provided by more than one plugin: ` +
          `${describeSource(existingRequest)}, and ${describeSource(request)}`,
      )
    requestsByPackage.set(request.pkg, request)
  }
  return requestsByPackage
}

function toPackageRequest({
  isExtension: _isExtension,
  ...packageFields
}: RequiredPackage): PackageRequest {
  return { ...packageFields, checksums: new Map() }
}

/** Returns the package that a provider resource serves. Returns none for any other resource. */
export function listProviderRequests({
  urn,
  type,
  inputs,
}: ResourceState): readonly PackageRequest[] {
  if (!isProviderType(type)) return []
  const { name, version, downloadUrl, parameterization, ...plugin } = readProviderPlugin(
    urn,
    inputs,
  )
  // As in Pulumi, checksums count only at the root of the inputs. Only states of older versions
  // have them there, and these states lack `__internal`.
  const checksums = inputs.has(internalKey) ? new Map<string, string>() : plugin.checksums
  const request = { pkg: packageOf(type), version, downloadUrl, checksums }
  if (parameterization === undefined) return [request]
  const parameters = {
    plugin: name,
    version: parameterization.version,
    value: parameterization.value,
  }
  return [{ ...request, parameters }]
}

function pluginKeyOf({ pkg, parameters }: PackageRequest): string {
  return parameters === undefined ? `plugin ${pkg}` : `parameters of ${parameters.plugin}`
}

function describeSource({ pkg, version, parameters }: PackageRequest): string {
  const describeVersion = (name: string): string =>
    `plugin "${name}"${version === '' ? '' : ` v${version}`}`
  if (parameters === undefined) return describeVersion(pkg)
  return `${describeVersion(parameters.plugin)} parameterized as "${pkg}" v${parameters.version}`
}

/**
 * Returns the name of the default provider for a request: `default`, the parts of the version, and
 * the download address with its invalid bytes replaced.
 */
export function defaultNameOf(request: PackageRequest): string {
  const version = parse(packageVersionOf(request))
  const parts = version === null ? [] : [version.major, version.minor, version.patch]
  const suffixes = version === null ? [] : [...version.prerelease, ...version.build]
  const address = request.downloadUrl === '' ? [] : [toQualifiedName(request.downloadUrl)]
  return ['default', ...parts, ...suffixes, ...address].join('_')
}

/** Converts a text to a qualified name. Each invalid byte becomes `_`. Empty parts are omitted. */
function toQualifiedName(text: string): string {
  const parts = text.split('/').filter(part => part !== '')
  const validParts = parts.map(part =>
    Buffer.from(part)
      .toString('latin1')
      .replaceAll(/[^A-Za-z0-9_.-]/g, '_'),
  )
  return validParts.join('/') || '_'
}
