import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createError, hasCode } from '../../../errors/error.ts'
import type { CliSettings } from './cli-settings.ts'
import type { InstallationMethod } from './installation-methods.ts'
import { createMirrorSource } from './network-mirror.ts'
import { listLocalPackages, hasPackages, type PackagePlatform } from './package-folders.ts'
import type { PackageSource, PackageSourceDeps } from './package-source.ts'
import { formatSourceAddress, type SourceAddress } from './source-address.ts'
import { createRegistrySource } from './registry-source.ts'

/** Returns the sources of a provider, in the order of their preference. */
export function packageSourcesOf(
  address: SourceAddress,
  settings: CliSettings,
  deps: PackageSourceDeps,
): readonly PackageSource[] {
  const methods = settings.methods ?? listImpliedMethods(deps)
  const accepted = methods.filter(({ accepts }) => accepts(address))
  return accepted.map(method => createSource(method, settings, deps))
}

/**
 * Returns the methods that apply if the settings name none: the standard folders, and the
 * registries for providers that no such folder has.
 */
function listImpliedMethods({
  env,
  home,
  programFolder,
}: PackageSourceDeps): readonly InstallationMethod[] {
  const dataHomes = [
    env['XDG_DATA_HOME'] || join(home, '.local', 'share'),
    ...(env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share').split(':'),
  ]
  const folders = [
    join(programFolder, 'terraform.d', 'plugins'),
    join(home, '.terraform.d', 'plugins'),
    ...dataHomes.flatMap(folder => [
      join(folder, 'opentofu', 'plugins'),
      join(folder, 'terraform', 'plugins'),
    ]),
  ].filter(folder => existsSync(folder))
  return [
    ...folders.map(path => ({ kind: 'folder', path, accepts: () => true }) as const),
    {
      kind: 'registry',
      accepts: address => !folders.some(folder => hasPackages(folder, address)),
    },
  ]
}

function createSource(
  method: InstallationMethod,
  settings: CliSettings,
  deps: PackageSourceDeps,
): PackageSource {
  if (method.kind === 'folder') return createFolderSource(method.path, deps.platform)
  return method.kind === 'mirror'
    ? createMirrorSource(method.url, settings, deps)
    : createRegistrySource(settings, deps)
}

function createFolderSource(root: string, platform: PackagePlatform): PackageSource {
  return {
    title: root,
    listVersions: address =>
      Promise.resolve(listLocalPackages(root, address, platform).map(({ version }) => version)),
    locate(address, version) {
      const found = listLocalPackages(root, address, platform).find(
        candidate => candidate.version === version,
      )
      if (found === undefined) return Promise.resolve(undefined)
      return Promise.resolve(
        found.kind === 'unpacked'
          ? { kind: 'unpacked', folder: found.path }
          : { kind: 'packed', file: found.path },
      )
    },
  }
}

/**
 * Lists the versions of a provider at all sources. Throws TERRAFORM_PROVIDER_UNKNOWN if no source
 * has one.
 */
export async function listSourceVersions(
  address: SourceAddress,
  sources: readonly PackageSource[],
): Promise<readonly string[]> {
  const versions = new Set<string>()
  let missingError: unknown
  for (const source of sources)
    try {
      for (const version of await source.listVersions(address)) versions.add(version)
    } catch (thrown) {
      if (!hasCode(thrown, 'TERRAFORM_PROVIDER_UNKNOWN')) throw thrown
      missingError = thrown
    }
  if (versions.size > 0) return [...versions]
  if (missingError !== undefined && sources.length === 1) throw missingError
  const titles = sources.map(({ title }) => title).join(', ')
  throw createError(
    'TERRAFORM_PROVIDER_UNKNOWN',
    titles === ''
      ? `no method of 'provider_installation' accepts ${formatSourceAddress(address)}`
      : `no package of ${formatSourceAddress(address)} for this platform: looked at ${titles}`,
  )
}
