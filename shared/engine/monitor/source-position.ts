import { isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Maximum number of remembered addresses. Above it, all are forgotten. */
const addressesMax = 4096

/** Root and URI → the file's address relative to the root. '' if the URI has no such address. */
const addressesByUri = new Map<string, string>()

/**
 * Returns the position of a line of code in the project: `project:///index.ts#3,7`. Returns '' if
 * the position is unknown. Paths are relative to the root, so that states do not contain folders of
 * a user's machine.
 */
export function toProjectPosition(
  position: { readonly uri: string; readonly line: number; readonly column: number },
  root: string,
): string {
  const address = projectAddressOf(position.uri, root)
  if (address === '') return ''
  const line =
    position.line === 0
      ? ''
      : `#${position.line}${position.column === 0 ? '' : `,${position.column}`}`
  return `${address}${line}`
}

/** Returns the address of a file. It is remembered, because programs send few URIs many times. */
function projectAddressOf(uri: string, root: string): string {
  const key = `${root}\n${uri}`
  const knownAddress = addressesByUri.get(key)
  if (knownAddress !== undefined) return knownAddress
  if (addressesByUri.size >= addressesMax) addressesByUri.clear()
  const address = computeProjectAddress(uri, root)
  addressesByUri.set(key, address)
  return address
}

function computeProjectAddress(uri: string, root: string): string {
  if (!uri.startsWith('file://')) return ''
  let path: string
  try {
    path = fileURLToPath(uri)
  } catch {
    return ''
  }
  const relativePath = relative(resolve(root), path)
  if (isAbsolute(relativePath)) return ''
  return `project:///${escapePath(relativePath.split(sep).join('/'))}`
}

/** Escapes a path as Go does in URLs, because states contain that form. */
function escapePath(path: string): string {
  return encodeURI(path).replaceAll(
    /[?#!*'()]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
