import semver from 'semver'
import { error } from '../../errors/error.ts'
import { hideCredentials } from './hide-credentials.ts'

/** A repository, and the folder in it where a plugin lies; '' = the repository itself. */
export interface GitLocation {
  /** `https://`, with the name and password that the address holds. */
  readonly url: string
  readonly folder: string
}

/** What a text says of a plugin that it names by its repository. */
export interface GitPluginReference {
  readonly name: string
  /** '' = the latest. */
  readonly version: string
  readonly downloadUrl: string
}

const scheme = 'git://'

/** Whether a download address is that of a repository. */
export function isGitAddress(address: string): boolean {
  return address.startsWith(scheme)
}

/**
 * The repository and folder that an address names. What stands behind `.git` is the folder; without
 * that, the repository is the second part of the path. Throws PLUGIN_ADDRESS. Source:
 * docs/spec/provider-protocol.md#cache-layout and Pulumi's `ParseGitRepoURL`.
 */
export function parseGitAddress(address: string): GitLocation {
  const url = URL.parse(`https://${address.slice(scheme.length)}`)
  if (url === null) throw addressError(address, 'is no address')
  const parts = pathPartsOf(url, address)
  const { username, password } = url
  const user = password === '' ? username : `${username}:${password}`
  const base = `https://${user === '' ? '' : `${user}@`}${url.host}`
  // Their addresses are those that Git clones, however many parts they have.
  if (url.hostname === 'dev.azure.com') return { url: base + url.pathname, folder: '' }
  if (url.hostname === 'gist.github.com') {
    const [, id, ...more] = parts
    if (id === undefined || more.length > 0) throw addressError(address, 'is not that of a gist')
    return { url: `${base}/${withGitSuffix(id)}`, folder: '' }
  }
  const path = parts.join('/')
  const end = path.lastIndexOf('.git')
  if (end > 0) {
    const at = end + '.git'.length
    return { url: `${base}/${path.slice(0, at)}`, folder: path.slice(at).replace(/^\//, '') }
  }
  const [owner = '', repository, ...folder] = parts
  if (repository === undefined) throw addressError(address, 'names no owner and repository')
  return { url: `${base}/${owner}/${withGitSuffix(repository)}`, folder: folder.join('/') }
}

/** The parts of a path as it is meant; none of them leads out of where it is put. */
function pathPartsOf(url: URL, address: string): readonly string[] {
  let path: string
  try {
    path = decodeURIComponent(url.pathname)
  } catch {
    throw addressError(address, 'has a path that cannot be read')
  }
  const parts = path.split('/').filter(part => part !== '')
  if (parts.includes('..') || path.includes('\\') || path.includes('\0'))
    throw addressError(address, 'has a path that leads elsewhere')
  return parts
}

/**
 * What a plugin is called in the plugin cache, and the folder in its own where it lies: one from a
 * repository after that, without the name and password in its address.
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
  const called = `${host}${path}${folder === '' ? '' : `_${folder}`}`
  return { name: called.replaceAll('/', '_'), folder }
}

const withHost = /^[^./].*\.[a-z]+\/[\w./-]*[a-zA-Z0-9/](?:@.*)?$/

/**
 * Reads `[git://|https://]<host>/<owner>/<repository>[/<folder>][@<version or commit>]`; undefined
 * for a text that is no address. Throws PLUGIN_ADDRESS. Source: Pulumi's `parsePluginSpecFromURL`.
 */
export function parseGitReference(text: string): GitPluginReference | undefined {
  if (!/^(?:git|https?):\/\//.test(text) && !withHost.test(text)) return undefined
  const at = text.lastIndexOf('@')
  // An address may begin with the name and password of somebody.
  const isVersioned = at > text.lastIndexOf('/')
  const address = isVersioned ? text.slice(0, at) : text
  if (address.startsWith('http://'))
    throw addressError(address, 'must begin with https:// or git://')
  const downloadUrl = scheme + address.replace(/^(?:git|https):\/\//, '')
  const version = isVersioned ? parseVersion(text.slice(at + 1), address) : ''
  return { name: cacheLocationOf({ name: '', downloadUrl }).name, version, downloadUrl }
}

function parseVersion(text: string, address: string): string {
  const version = parseTolerantVersion(text)
  if (version !== undefined) return version
  // A commit is a version that begins with a letter, for a pre-release may not begin with 0.
  if (/^[0-9a-fA-F]{4,64}$/.test(text)) return `0.0.0-x${text}`
  throw addressError(address, `has a version that is neither such as 1.2.3 nor a commit: '${text}'`)
}

/** A version as people write tags: with a v before it, or with fewer parts than three. */
export function parseTolerantVersion(text: string): string | undefined {
  const plain = text.trim().replace(/^v/, '')
  const short = /^\d+(?:\.\d+)?$/.exec(plain)
  const whole = short === null ? plain : `${plain}${plain.includes('.') ? '.0' : '.0.0'}`
  return semver.parse(whole.replace(/(?<=^|\.)0+(?=\d)/g, ''))?.raw
}

function withGitSuffix(repository: string): string {
  return repository.endsWith('.git') ? repository : `${repository}.git`
}

function addressError(address: string, what: string): Error {
  return error('PLUGIN_ADDRESS', `the plugin address '${hideCredentials(address)}' ${what}`)
}
