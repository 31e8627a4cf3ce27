import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createError } from '../../../errors/error.ts'
import { withInstallLock } from '../../install/install-lock.ts'
import { findPackageExecutable, type PackagePlatform, unpackedFolderOf } from './package-folders.ts'
import { formatZipHash, hashFile, hashFolder } from './package-hashes.ts'
import type { DownloadablePackage, LocatedPackage } from './package-source.ts'
import { formatSourceAddress, type SourceAddress } from './source-address.ts'
import { downloadFile, type RegistryHttpDeps } from './registry-http.ts'
import { unpackPackage } from './unpack-package.ts'

/** A package that may be run. */
export interface UsablePackage {
  readonly folder: string
  readonly executable: string
  /**
   * Hashes of the package, and those that its source guarantees for other platforms. May be empty
   * if the request needs none.
   */
  readonly hashes: readonly string[]
}

/** The package to obtain. */
export interface TerraformPackageRequest {
  readonly address: SourceAddress
  readonly version: string
  readonly platform: PackagePlatform
  /** Hashes of a lock file, of which the package must have one. Empty: any hash is accepted. */
  readonly lockedHashes: readonly string[]
  /**
   * Whether the hashes of the package are needed. For large packages, their computation takes time.
   */
  readonly needsHashes: boolean
}

/**
 * Checks an unpacked package. Returns undefined if it has no executable, or none of the locked
 * hashes.
 */
export async function checkUnpackedPackage(
  folder: string,
  { address, lockedHashes, needsHashes }: TerraformPackageRequest,
): Promise<UsablePackage | undefined> {
  const executable = findPackageExecutable(folder, address.type)
  if (executable === undefined) return undefined
  if (lockedHashes.length === 0 && !needsHashes) return { folder, executable, hashes: [] }
  const hash = await hashFolder(folder)
  if (lockedHashes.length > 0 && !lockedHashes.includes(hash)) return undefined
  return { folder, executable, hashes: [hash] }
}

/**
 * Makes a package usable. A remote package is downloaded, and a packed one is unpacked in the
 * cache. The cache gets the complete package or nothing, even if several processes write the same
 * package at the same time. Throws TERRAFORM_CHECKSUM, TERRAFORM_LOCK_MISMATCH,
 * TERRAFORM_PACKAGE_INVALID, PLUGIN_TOO_LARGE, ARCHIVE_* and the errors of requests.
 */
export async function makePackageUsable(
  located: LocatedPackage,
  request: TerraformPackageRequest,
  deps: RegistryHttpDeps & { readonly cacheFolder: string; readonly ignoresCache: boolean },
): Promise<UsablePackage> {
  const title = packageTitleOf(request)
  if (located.kind === 'unpacked') {
    const usable = await checkUnpackedPackage(located.folder, request)
    if (usable !== undefined) return usable
    throw findPackageExecutable(located.folder, request.address.type) === undefined
      ? createExecutableError(title, located.folder)
      : createLockMismatchError(title, located.folder)
  }
  const target = unpackedFolderOf(deps.cacheFolder, request.address, {
    ...request.platform,
    version: request.version,
  })
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  return withInstallLock(`${target}.lock`, deps.pause, async () => {
    const cached = deps.ignoresCache ? undefined : await checkUnpackedPackage(target, request)
    if (cached !== undefined) return cached
    const scratchFolder = mkdtempSync(join(deps.cacheFolder, '.partial-'))
    try {
      return await unpackInto(target, scratchFolder, { located, request, deps, title })
    } finally {
      rmSync(scratchFolder, { recursive: true, force: true })
    }
  })
}

async function unpackInto(
  target: string,
  scratchFolder: string,
  options: {
    readonly located: Exclude<LocatedPackage, { kind: 'unpacked' }>
    readonly request: TerraformPackageRequest
    readonly deps: RegistryHttpDeps
    readonly title: string
  },
): Promise<UsablePackage> {
  const { located, request, deps, title } = options
  const file = located.kind === 'packed' ? located.file : join(scratchFolder, 'package.zip')
  const sha256 =
    located.kind === 'packed'
      ? await hashFile(file)
      : await downloadPackage(located, file, { title, deps })
  const unpackedFolder = join(scratchFolder, 'package')
  mkdirSync(unpackedFolder, { mode: 0o700 })
  await unpackPackage(file, unpackedFolder, title)
  if (findPackageExecutable(unpackedFolder, request.address.type) === undefined)
    throw createExecutableError(title, located.kind === 'packed' ? file : located.url)
  const packageHashes = [formatZipHash(sha256), await hashFolder(unpackedFolder)]
  const acceptedHashes = located.kind === 'download' ? located.acceptedHashes : []
  if (!hasAcceptedHash(acceptedHashes, packageHashes))
    throw createError('TERRAFORM_CHECKSUM', `${title} has none of the hashes that its source lists`)
  if (
    request.lockedHashes.length > 0 &&
    !request.lockedHashes.some(hash => packageHashes.includes(hash))
  )
    throw createLockMismatchError(title, located.kind === 'packed' ? file : located.url)
  // An earlier folder is moved away in one step, so that no process finds a part of it.
  if (existsSync(target)) renameSync(target, join(scratchFolder, 'replaced'))
  renameSync(unpackedFolder, target)
  const executable = findPackageExecutable(target, request.address.type)
  if (executable === undefined || !existsSync(executable))
    throw createExecutableError(title, target)
  const verifiedHashes = located.kind === 'download' ? located.verifiedHashes : []
  return { folder: target, executable, hashes: [...verifiedHashes, ...packageHashes] }
}

/**
 * Downloads a package, and compares its size and checksum. Returns its SHA-256 in hex. Throws
 * TERRAFORM_CHECKSUM and the errors of `downloadFile`.
 */
export async function downloadPackage(
  located: DownloadablePackage,
  file: string,
  { title, deps }: { readonly title: string; readonly deps: RegistryHttpDeps },
): Promise<string> {
  deps.report('info', `downloading Terraform provider ${title}`)
  const { sha256, sizeBytes } = await downloadFile(located, file, deps)
  if (located.sizeBytes !== undefined && located.sizeBytes !== sizeBytes)
    throw createError(
      'TERRAFORM_CHECKSUM',
      `${title} has ${sizeBytes} bytes, but its source lists ${located.sizeBytes}`,
    )
  if (located.sha256 === undefined || located.sha256 === sha256) return sha256
  throw createError(
    'TERRAFORM_CHECKSUM',
    `${title} has an invalid checksum: expected ${located.sha256}, actual ${sha256}`,
  )
}

/**
 * Reports whether a package has an accepted hash. If the list has hashes of the file (`zh:`), only
 * they count. Otherwise those of the folder (`h1:`) count. A list with neither accepts every package.
 */
function hasAcceptedHash(
  acceptedHashes: readonly string[],
  packageHashes: readonly string[],
): boolean {
  for (const scheme of ['zh:', 'h1:']) {
    const candidates = acceptedHashes.filter(hash => hash.startsWith(scheme))
    if (candidates.length > 0) return candidates.some(hash => packageHashes.includes(hash))
  }
  return true
}

function packageTitleOf({ address, version }: TerraformPackageRequest): string {
  return `${formatSourceAddress(address)} ${version}`
}

function createExecutableError(title: string, place: string): Error {
  return createError(
    'TERRAFORM_PACKAGE_INVALID',
    `the package of ${title} has no executable 'terraform-provider-…': ${place}`,
  )
}

function createLockMismatchError(title: string, place: string): Error {
  return createError(
    'TERRAFORM_LOCK_MISMATCH',
    `the package of ${title} has none of the hashes in the lock file: ${place}`,
  )
}
