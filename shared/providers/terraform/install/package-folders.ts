import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { isExecutable } from '../../../programs/executables.ts'
import type { SourceAddress } from './source-address.ts'

/** The system of a package, in Go's names, such as `linux` and `amd64`. */
export interface PackagePlatform {
  readonly os: string
  readonly arch: string
}

/** A package in a folder: unpacked, or packed as zip file. */
export interface LocalPackage {
  readonly version: string
  readonly kind: 'unpacked' | 'packed'
  readonly path: string
}

const osNames: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' }
const archNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** Returns the platform for Node's names of a system and an architecture. */
export function packagePlatformOf(os: string, arch: string): PackagePlatform {
  return { os: osNames[os] ?? os, arch: archNames[arch] ?? arch }
}

/** Returns the folder of the packages of a provider, below a mirror or cache. */
function packageFolderOf(root: string, { hostname, namespace, type }: SourceAddress): string {
  return join(root, hostname, namespace, type)
}

/** Returns the folder of one unpacked package, below a mirror or cache. */
export function unpackedFolderOf(
  root: string,
  address: SourceAddress,
  { version, os, arch }: PackagePlatform & { readonly version: string },
): string {
  return join(packageFolderOf(root, address), version, `${os}_${arch}`)
}

/** Lists the unpacked and packed packages of a provider for a platform, below a mirror or cache. */
export function listLocalPackages(
  root: string,
  address: SourceAddress,
  { os, arch }: PackagePlatform,
): readonly LocalPackage[] {
  const folder = packageFolderOf(root, address)
  return listNames(folder).flatMap((name): readonly LocalPackage[] => {
    const unpackedFolder = join(folder, name, `${os}_${arch}`)
    if (isVersion(name) && isFolder(unpackedFolder))
      return [{ version: name, kind: 'unpacked', path: unpackedFolder }]
    const packed = parsePackedName(name, address.type)
    if (packed?.os !== os || packed.arch !== arch) return []
    return [{ version: packed.version, kind: 'packed', path: join(folder, name) }]
  })
}

/** Reports whether a folder has packages of a provider for any platform. */
export function hasPackages(root: string, address: SourceAddress): boolean {
  return listNames(packageFolderOf(root, address)).some(
    name => isVersion(name) || parsePackedName(name, address.type) !== undefined,
  )
}

/** Returns the parts of the name of a packed package, or undefined for another file. */
function parsePackedName(
  name: string,
  type: string,
): (PackagePlatform & { readonly version: string }) | undefined {
  const prefix = `terraform-provider-${type}_`
  if (!name.startsWith(prefix)) return undefined
  const [, version = '', os = '', arch = ''] =
    /^([^_]+)_([^_]+)_([^_]+)\.zip$/.exec(name.slice(prefix.length)) ?? []
  return isVersion(version) ? { version, os, arch } : undefined
}

/** Reports whether a name is a version without the prefix `v`. It may have build metadata. */
function isVersion(name: string): boolean {
  return /^\d/.test(name) && semver.valid(name) !== null
}

/**
 * Returns the executable of an unpacked package: the first file `terraform-provider-TYPE`, with any
 * suffix after `_` or `.`. Returns undefined if there is none, or if it may not be executed.
 */
export function findPackageExecutable(folder: string, type: string): string | undefined {
  const base = `terraform-provider-${type}`
  const name = listNames(folder)
    .toSorted()
    .find(file => file.startsWith(base) && /^(?:$|[_.])/.test(file.slice(base.length)))
  const path = name === undefined ? undefined : join(folder, name)
  return path !== undefined && isExecutable(path) ? path : undefined
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
