import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { createError } from '../../errors/error.ts'

/** The schemes of self-managed backends. */
const schemes = ['file', 's3', 'gs', 'azblob'] as const

/** A parsed address of a self-managed backend. */
export interface ObjectStoreUrl {
  readonly scheme: (typeof schemes)[number]
  /** The bucket or container. '' for `file`. */
  readonly bucket: string
  /** The absolute folder for `file`. Otherwise the prefix of all keys: '' or with a final `/`. */
  readonly prefix: string
  readonly query: URLSearchParams
}

/** Reports whether a text has the scheme of a self-managed backend. */
export function isObjectStoreUrl(text: string): boolean {
  return schemes.some(scheme => text.startsWith(`${scheme}://`))
}

/**
 * Parses the address of a self-managed backend, as Pulumi does. `cwd`: the folder to which the path
 * of `file://` is relative. Throws BACKEND_URL_INVALID.
 */
export function parseObjectStoreUrl(text: string, cwd: string): ObjectStoreUrl {
  const [, scheme = '', pathAndQuery = ''] = /^([a-z0-9]+):\/\/([^]*)$/.exec(text) ?? []
  const knownScheme = schemes.find(name => name === scheme)
  const [path = '', ...queryParts] = pathAndQuery.split('?')
  const query = new URLSearchParams(queryParts.join('?'))
  if (knownScheme === undefined)
    throw createError(
      'BACKEND_URL_INVALID',
      `'${text}' is not an address of a self-managed backend`,
    )
  if (knownScheme === 'file')
    return { scheme: knownScheme, bucket: '', prefix: folderOf(path, cwd), query }
  const [bucket = '', ...folders] = path.split('/')
  // The part before an '@' may be a credential, which must not get into an address.
  if (bucket === '' || bucket.includes('@'))
    throw createError('BACKEND_URL_INVALID', `the address of ${knownScheme}:// names no bucket`)
  const folderNames = decodePath(folders.join('/'))
    .split('/')
    .filter(name => name !== '')
  if (folderNames.some(name => name === '.' || name === '..'))
    throw createError('BACKEND_URL_INVALID', `the folder '${folders.join('/')}' has relative parts`)
  return {
    scheme: knownScheme,
    bucket,
    prefix: folderNames.map(name => `${name}/`).join(''),
    query,
  }
}

/** Returns the address of a bucket and its folder, without the query. */
export function addressOfBucket({ scheme, bucket, prefix }: ObjectStoreUrl): string {
  return `${scheme}://${bucket}${prefix === '' ? '' : `/${encodePath(prefix.slice(0, -1))}`}`
}

/** Encodes a path for an address, so that the address is parsed to the same path. */
export function encodePath(path: string): string {
  return encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent)
}

/** Throws BACKEND_URL_INVALID for a query parameter that is not in `names`. */
export function requireKnownQuery(
  { scheme, query }: ObjectStoreUrl,
  names: ReadonlySet<string>,
): void {
  for (const name of query.keys())
    if (!names.has(name))
      throw createError(
        'BACKEND_URL_INVALID',
        `the parameter '${name}' of ${scheme}:// is not supported`,
      )
}

/** Decodes percent signs, as Pulumi does. Throws BACKEND_URL_INVALID. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw createError('BACKEND_URL_INVALID', `the path '${path}' has an invalid percent sign`)
  }
}

function folderOf(path: string, cwd: string): string {
  if (path === '')
    throw createError('BACKEND_URL_INVALID', 'the address of file:// names no folder')
  const decoded = decodePath(path)
  if (decoded === '~' || decoded.startsWith('~/')) return join(homedir(), decoded.slice(2))
  return isAbsolute(decoded) ? resolve(decoded) : resolve(cwd, decoded)
}
