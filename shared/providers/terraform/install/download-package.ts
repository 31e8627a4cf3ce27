import { createError } from '../../../errors/error.ts'
import { downloadPackage } from './package-cache.ts'
import type { PackageSourceDeps } from './package-source.ts'
import { createRegistrySource } from './registry-source.ts'
import { formatSourceAddress, type SourceAddress } from './source-address.ts'
import { findNewestMatch, parseVersionConstraints } from './version-constraints.ts'

/**
 * Downloads the zip file of a provider from its registry, with its checksum and its signature
 * verified. The version '' is the newest stable one. `token`: the credential of the registry.
 * Returns the version. Throws TERRAFORM_VERSION_MISSING, the errors of `createRegistrySource`,
 * TERRAFORM_CHECKSUM and PLUGIN_TOO_LARGE.
 */
export async function downloadProviderPackage(
  provider: { readonly address: SourceAddress; readonly version: string },
  file: string,
  deps: PackageSourceDeps & { readonly token?: string | undefined },
): Promise<string> {
  const { address } = provider
  const source = createRegistrySource(createSettings(address, deps.token), deps)
  const version =
    provider.version === ''
      ? findNewestMatch(await source.listVersions(address), parseVersionConstraints(''))
      : provider.version
  const located = version === undefined ? undefined : await source.locate(address, version)
  const name = formatSourceAddress(address)
  if (version === undefined || located?.kind !== 'download')
    throw createError(
      'TERRAFORM_VERSION_MISSING',
      `the registry has no version ${version ?? ''} of ${name}`,
    )
  await downloadPackage(located, file, { title: `${name} ${version}`, deps })
  return version
}

/** Returns settings that do not come from files: only the registry of the address is used. */
function createSettings({ hostname }: SourceAddress, token: string | undefined) {
  return {
    methods: undefined,
    developmentFolders: new Map<string, string>(),
    cacheFolder: undefined,
    tokens: new Map(token === undefined ? [] : [[hostname, token] as const]),
    registries: new Map<string, string>(),
    hasCredentialsHelper: false,
  }
}
