/**
 * terraform/install: finds Terraform providers and installs them. Imports plugin installation,
 * terraform/driver for its types, terraform/client for attached providers, and config.
 *
 * Invariants: a package from a registry is unpacked only after its checksum and its signature were
 * verified. A package in the cache is complete. If the lock file contains a provider, it decides
 * the version and the hashes of that provider.
 */
import { isTruthy } from '../../../config/truthy.ts'
import { createError, messageOf } from '../../../errors/error.ts'
import { findReattachedProvider } from '../client/reattach.ts'
import type { ProviderBinary } from '../driver/terraform-provider.ts'
import type { PackageParameter } from '../driver/package-parameter.ts'
import { type CliSettings, readCliSettings } from './cli-settings.ts'
import { requireLocalProvider } from './local-provider.ts'
import { type ProviderLock, readLockFile, writeProviderLock } from './lock-file.ts'
import {
  checkUnpackedPackage,
  makePackageUsable,
  type TerraformPackageRequest,
  type UsablePackage,
} from './package-cache.ts'
import { findPackageExecutable, listLocalPackages } from './package-folders.ts'
import type { LocatedPackage, PackageSource, PackageSourceDeps } from './package-source.ts'
import { listSourceVersions, packageSourcesOf } from './package-sources.ts'
import { formatSourceAddress, parseSourceAddress, type SourceAddress } from './source-address.ts'
import {
  findNewestMatch,
  parseVersionConstraints,
  type VersionConstraints,
} from './version-constraints.ts'

/** Dependencies of an installer. */
export interface TerraformInstallerDeps extends PackageSourceDeps {
  /** The folder of installed packages, in Terraform's unpacked layout. */
  readonly cacheFolder: string
  /** The lock file of the program. */
  readonly lockFile: string
  /** Whether to create the lock file, and to replace a lock that does not fit. */
  readonly updatesLock: boolean
  /** Whether to install packages again that are already in the cache. */
  readonly ignoresCache: boolean
  /**
   * Fetches a package from a store into the cache, in place of all other sources. The version '' is
   * the newest. Returns false if the store does not have it.
   */
  readonly fetchStored?: (address: SourceAddress, version: string) => Promise<boolean>
  /** Whether a package may be downloaded. */
  readonly mayDownload: boolean
}

/** Finds providers, and installs missing ones. */
export interface TerraformInstaller {
  /**
   * Returns the executable of a provider. All requests with the same source and version share one
   * installation. Throws TERRAFORM_* codes, PLUGIN_MISSING, PLUGIN_TOO_LARGE, FEATURE_MISSING and
   * ARCHIVE_*.
   */
  readonly obtain: (parameter: PackageParameter) => Promise<ProviderBinary>
}

/** Creates an installer. It reads the settings of Terraform's command line once, on demand. */
export function createTerraformInstaller(deps: TerraformInstallerDeps): TerraformInstaller {
  const installations = new Map<string, Promise<ProviderBinary>>()
  let settings: CliSettings | undefined
  return {
    async obtain(parameter) {
      if (parameter.kind === 'local')
        return requireLocalProvider(deps.programFolder, parameter.path)
      const key = `${parameter.source} ${parameter.version}`
      const earlierInstallation = installations.get(key)
      if (earlierInstallation !== undefined) return earlierInstallation
      settings ??= readCliSettings(deps)
      const installation = obtainRemote(parameter, settings, deps)
      installations.set(key, installation)
      // A provider that cannot be installed now may be published later.
      installation.catch(() => void installations.delete(key))
      return installation
    },
  }
}

async function obtainRemote(
  parameter: { readonly source: string; readonly version: string },
  settings: CliSettings,
  deps: TerraformInstallerDeps,
): Promise<ProviderBinary> {
  const address = parseSourceAddress(parameter.source)
  const source = formatSourceAddress(address)
  const constraints = parseVersionConstraints(parameter.version)
  const developmentFolder = settings.developmentFolders.get(source)
  if (developmentFolder !== undefined)
    return findDevelopmentProvider({ address, constraints, folder: developmentFolder }, deps)
  if (findReattachedProvider(deps.env, source) !== undefined) {
    const version = constraints.exactVersion ?? '0.0.0'
    return { path: source, version, source, providerName: address.type }
  }
  const locks = readLockFile(deps.lockFile)
  const lock = findFittingLock(locks?.get(source), { source, constraints }, deps)
  const lockedConstraints = lock === undefined ? constraints : parseVersionConstraints(lock.version)
  const criteria: PackageCriteria = {
    address,
    constraints: lockedConstraints,
    lockedHashes: lock?.hashes ?? [],
    needsHashes: locks !== undefined || deps.updatesLock,
  }
  const cached = deps.ignoresCache ? undefined : await findCached(criteria, settings, deps)
  const { version, usable } =
    cached ??
    (deps.fetchStored === undefined
      ? await installFromSources(criteria, settings, deps)
      : await installStored(criteria, settings, { ...deps, fetchStored: deps.fetchStored }))
  if (criteria.needsHashes)
    recordLock(deps, source, {
      version,
      constraints: lock?.constraints ?? constraints.text,
      hashes: usable.hashes,
    })
  return { path: usable.executable, version, source, providerName: address.type }
}

/**
 * Records a lock. A lock file that cannot be written is only reported, unless the user requested
 * the lock.
 */
function recordLock(
  { lockFile, updatesLock, report }: TerraformInstallerDeps,
  source: string,
  lock: ProviderLock,
): void {
  try {
    writeProviderLock(lockFile, source, lock)
  } catch (thrown) {
    if (updatesLock) throw thrown
    report('warning', `cannot record ${source} in ${lockFile}: ${messageOf(thrown)}`)
  }
}

/**
 * Returns the lock of a provider if its version meets the constraints. Returns undefined if there
 * is no lock, or if it does not fit and `updatesLock` is set. Throws TERRAFORM_LOCK_MISMATCH for
 * any other lock.
 */
function findFittingLock(
  lock: ProviderLock | undefined,
  { source, constraints }: { readonly source: string; readonly constraints: VersionConstraints },
  { updatesLock, lockFile }: TerraformInstallerDeps,
): ProviderLock | undefined {
  if (lock === undefined || constraints.isMetBy(lock.version)) return lock
  if (updatesLock) return undefined
  throw createError(
    'TERRAFORM_LOCK_MISMATCH',
    `${lockFile} fixes ${source} at ${lock.version}, but the program needs '${constraints.text}'`,
  )
}

type PackageCriteria = Pick<TerraformPackageRequest, 'address' | 'lockedHashes' | 'needsHashes'> & {
  readonly constraints: VersionConstraints
}

interface ChosenPackage {
  readonly version: string
  readonly usable: UsablePackage
}

/** Finds the newest usable package in the caches. */
async function findCached(
  { address, constraints, ...criteria }: PackageCriteria,
  settings: CliSettings,
  { cacheFolder, platform }: TerraformInstallerDeps,
): Promise<ChosenPackage | undefined> {
  const packages = [cacheFolder, settings.cacheFolder]
    .flatMap(root => (root === undefined ? [] : listLocalPackages(root, address, platform)))
    .filter(({ kind }) => kind === 'unpacked')
  const versions = new Set(packages.map(({ version }) => version))
  for (;;) {
    const version = findNewestMatch([...versions], constraints)
    if (version === undefined) return undefined
    for (const { path } of packages.filter(candidate => candidate.version === version)) {
      const request = { address, version, platform, ...criteria }
      const usable = await checkUnpackedPackage(path, request)
      if (usable !== undefined) return { version, usable }
    }
    versions.delete(version)
  }
}

/** Installs a package from the plugin store of an Antichain installation. */
async function installStored(
  criteria: PackageCriteria,
  settings: CliSettings,
  deps: TerraformInstallerDeps & Required<Pick<TerraformInstallerDeps, 'fetchStored'>>,
): Promise<ChosenPackage> {
  const { address, constraints } = criteria
  const isFetched = await deps.fetchStored(address, constraints.exactVersion ?? '')
  const chosen = isFetched ? await findCached(criteria, settings, deps) : undefined
  if (chosen !== undefined) return chosen
  const { os, arch } = deps.platform
  throw createError(
    'PLUGIN_MISSING',
    `the installation has no package of the Terraform provider ${formatSourceAddress(address)} that meets '${constraints.text}' for ${os} ${arch}`,
    { hint: 'Send the package from its release with `antichain plugin push <zip file>`.' },
  )
}

/** Installs the newest version from the first source that has it. */
async function installFromSources(
  { address, constraints, ...criteria }: PackageCriteria,
  settings: CliSettings,
  deps: TerraformInstallerDeps,
): Promise<ChosenPackage> {
  const sources = packageSourcesOf(address, settings, deps)
  const version =
    constraints.exactVersion ?? (await chooseVersion(address, { constraints, sources }))
  const located = await locateFirst(address, { version, sources })
  if (located === undefined)
    throw createVersionError(address, constraints, await listSourceVersions(address, sources))
  if (located.kind === 'download' && !deps.mayDownload)
    throw createError(
      'PLUGIN_MISSING',
      `the Terraform provider ${formatSourceAddress(address)} ${version} is not installed, and automatic installation is disabled`,
      {
        hint: `Install it with \`antichain plugin install terraform ${formatSourceAddress(address)} ${version}\`.`,
      },
    )
  const request = { address, version, platform: deps.platform, ...criteria }
  return { version, usable: await makePackageUsable(located, request, deps) }
}

async function chooseVersion(
  address: SourceAddress,
  options: {
    readonly constraints: VersionConstraints
    readonly sources: readonly PackageSource[]
  },
): Promise<string> {
  const { constraints, sources } = options
  const versions = await listSourceVersions(address, sources)
  const version = findNewestMatch(versions, constraints)
  if (version === undefined) throw createVersionError(address, constraints, versions)
  return version
}

async function locateFirst(
  address: SourceAddress,
  { version, sources }: { readonly version: string; readonly sources: readonly PackageSource[] },
): Promise<LocatedPackage | undefined> {
  for (const source of sources) {
    const located = await source.locate(address, version)
    if (located !== undefined) return located
  }
  return undefined
}

function createVersionError(
  address: SourceAddress,
  constraints: VersionConstraints,
  versions: readonly string[],
): Error {
  const published = versions.length === 0 ? 'none' : versions.slice(0, 20).join(', ')
  return createError(
    'TERRAFORM_VERSION_MISSING',
    `no version of ${formatSourceAddress(address)} meets '${constraints.text}': there are ${published}`,
  )
}

/** Returns the executable in the folder of a developer. The executable has no version. */
function findDevelopmentProvider(
  request: {
    readonly address: SourceAddress
    readonly constraints: VersionConstraints
    readonly folder: string
  },
  { report }: TerraformInstallerDeps,
): ProviderBinary {
  const { address, constraints, folder } = request
  const source = formatSourceAddress(address)
  const path = findPackageExecutable(folder, address.type)
  if (path === undefined)
    throw createError(
      'TERRAFORM_PACKAGE_INVALID',
      `the folder of 'dev_overrides' for ${source} has no executable 'terraform-provider-${address.type}': ${folder}`,
    )
  report('warning', `using ${path} for ${source}, because of 'dev_overrides' in the settings`)
  const version = constraints.exactVersion ?? '0.0.0'
  return { path, version, source, providerName: address.type }
}

/** Reports whether the user's environment permits automatic installations. */
export function permitsAutomaticInstallation(env: Readonly<Record<string, string>>): boolean {
  return !isTruthy(env['PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION'])
}
