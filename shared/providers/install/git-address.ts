import semver from 'semver'
import { createError } from '../../errors/error.ts'
import { hideCredentials } from './hide-credentials.ts'

/** A repository, and the plugin's folder in it. `folder` '' = the root of the repository. */
export interface GitLocation {
  /** The address for Git: `https://`, with the credentials of the original address. */
  readonly url: string
  readonly folder: string
}

/** A reference to a plugin by its repository. */
export interface GitPluginReference {
  readonly name: string
  /** '' = the latest. */
  readonly version: string
  readonly downloadUrl: string
}

const scheme = 'git://'

/** Reports whether a download address is the address of a repository. */
export function isGitAddress(address: string): boolean {
  return address.startsWith(scheme)
}

/**
 * Returns the repository and folder of an address. The last part of the path that ends with `.git`
 * is the repository, and the parts after it are the folder. Without such a part, the second part is
 * the repository. Addresses of Azure DevOps and gists have no folder. Throws PLUGIN_ADDRESS.
 * Source: docs/spec/provider-protocol.md#cache-layout, and `ParseGitRepoURL` in
 * sdk/go/common/util/gitutil/git.go of Pulumi 3.274.1. Pulumi also splits a name such as
 * `me.github.io` after `.git`, and then does not find the repository.
 */
export function parseGitAddress(address: string): GitLocation {
  const url = URL.parse(`https://${address.slice(scheme.length)}`)
  if (url === null) throw createPluginAddressError(address, 'is not a valid address')
  const parts = pathPartsOf(url, address)
  const { username, password } = url
  const userInfo = password === '' ? username : `${username}:${password}`
  const origin = `https://${userInfo === '' ? '' : `${userInfo}@`}${url.host}`
  // An address of Azure DevOps keeps its path, regardless of the number of parts.
  if (url.hostname === 'dev.azure.com') return { url: origin + url.pathname, folder: '' }
  if (url.hostname === 'gist.github.com') {
    // The path of a gist is `<owner>/<id>`, but Git needs only the id.
    const [, id, ...extraParts] = parts
    if (id === undefined || extraParts.length > 0)
      throw createPluginAddressError(address, 'is not the address of a gist')
    return { url: `${origin}/${withGitSuffix(id)}`, folder: '' }
  }
  const folderIndex = parts.findLastIndex(part => part.endsWith('.git')) + 1
  if (folderIndex > 0) {
    const folder = parts.slice(folderIndex).join('/')
    return { url: `${origin}/${parts.slice(0, folderIndex).join('/')}`, folder }
  }
  const [owner = '', repository, ...folderParts] = parts
  if (repository === undefined)
    throw createPluginAddressError(address, 'names no owner and repository')
  return { url: `${origin}/${owner}/${withGitSuffix(repository)}`, folder: folderParts.join('/') }
}

/**
 * Returns the decoded parts of a path. Throws PLUGIN_ADDRESS for a path that cannot be decoded, or
 * that leads out of the repository.
 */
function pathPartsOf(url: URL, address: string): readonly string[] {
  let path: string
  try {
    path = decodeURIComponent(url.pathname)
  } catch {
    throw createPluginAddressError(address, 'has a path that cannot be read')
  }
  const parts = path.split('/').filter(part => part !== '')
  if (parts.includes('..') || path.includes('\\') || path.includes('\0'))
    throw createPluginAddressError(address, 'has a path that leads out of the repository')
  return parts
}

/**
 * Returns the name of a plugin in the plugin cache, and the plugin's folder within its cache entry.
 * A plugin from a repository is named after the address, without credentials.
 */
export function cacheLocationOf({
  name,
  downloadUrl,
}: {
  readonly name: string
  readonly downloadUrl: string
}): { readonly name: string; readonly folder: string } {
  if (!isGitAddress(downloadUrl)) return { name, folder: '' }
  const { url, folder } = parseGitAddress(downloadUrl)
  const { host, pathname } = new URL(url)
  const path = decodeURIComponent(pathname)
  const cacheName = `${host}${path}${folder === '' ? '' : `_${folder}`}`
  return { name: cacheName.replaceAll('/', '_'), folder }
}

/** An address without a scheme, such as `github.com/owner/repository@1.2.3`. */
const schemelessAddressPattern = /^[^./].*\.[a-z]+\/[\w./-]*[a-zA-Z0-9/](?:@.*)?$/

/**
 * Parses `[git://|https://]<host>/<owner>/<repository>[/<folder>][@<version or commit>]`. Returns
 * undefined for a text that is not an address. Throws PLUGIN_ADDRESS. Source:
 * `parsePluginSpecFromURL` in sdk/go/common/workspace/plugins.go of Pulumi 3.274.1.
 */
export function parseGitReference(text: string): GitPluginReference | undefined {
  if (!/^(?:git|https?):\/\//.test(text) && !schemelessAddressPattern.test(text)) return undefined
  const atSignIndex = text.lastIndexOf('@')
  // The `@` of credentials comes before the last slash.
  const isVersioned = atSignIndex > text.lastIndexOf('/')
  const address = isVersioned ? text.slice(0, atSignIndex) : text
  if (address.startsWith('http://'))
    throw createPluginAddressError(address, 'must begin with https:// or git://')
  const downloadUrl = scheme + address.replace(/^(?:git|https):\/\//, '')
  const version = isVersioned ? parseVersion(text.slice(atSignIndex + 1), address) : ''
  return { name: cacheLocationOf({ name: '', downloadUrl }).name, version, downloadUrl }
}

function parseVersion(text: string, address: string): string {
  const version = parseTagVersion(text)
  if (version !== undefined) return version
  // A commit becomes a pre-release that begins with a letter, because a numeric pre-release cannot
  // begin with 0.
  if (/^[0-9a-fA-F]{4,64}$/.test(text)) return `0.0.0-x${text}`
  throw createPluginAddressError(
    address,
    `has the invalid version '${text}': use a version such as 1.2.3, or a commit`,
  )
}

/**
 * Parses the version of a tag. The version may have a leading v, leading zeros, or fewer than three
 * parts. Returns undefined for any other text.
 */
export function parseTagVersion(text: string): string | undefined {
  const unprefixedText = text.trim().replace(/^v/, '')
  const shortMatch = /^\d+(?:\.\d+)?$/.exec(unprefixedText)
  const fullVersion =
    shortMatch === null
      ? unprefixedText
      : `${unprefixedText}${unprefixedText.includes('.') ? '.0' : '.0.0'}`
  // A zero after the three numbers belongs to a pre-release or a build, and stays.
  return semver.parse(fullVersion.replace(/^0*(\d+)\.0*(\d+)\.0*(\d+)/, '$1.$2.$3'))?.raw
}

function withGitSuffix(repository: string): string {
  return repository.endsWith('.git') ? repository : `${repository}.git`
}

/** Creates the error PLUGIN_ADDRESS. */
export function createPluginAddressError(address: string, problem: string): Error {
  return createError(
    'PLUGIN_ADDRESS',
    `the plugin address '${hideCredentials(address)}' ${problem}`,
  )
}
