import { isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Returns the position of a line of code in the project: `project:///index.ts#3,7`. Returns '' if
 * the position is unknown. Paths are relative to the root, so that states do not contain folders of
 * a user's machine.
 */
export function toProjectPosition(
  position: { readonly uri: string; readonly line: number; readonly column: number },
  root: string,
): string {
  if (!position.uri.startsWith('file://')) return ''
  let path: string
  try {
    path = fileURLToPath(position.uri)
  } catch {
    return ''
  }
  const relativePath = relative(resolve(root), path)
  if (isAbsolute(relativePath)) return ''
  const line =
    position.line === 0
      ? ''
      : `#${position.line}${position.column === 0 ? '' : `,${position.column}`}`
  return `project:///${escapePath(relativePath.split(sep).join('/'))}${line}`
}

/** Escapes a path as Go does in URLs, because states contain that form. */
function escapePath(path: string): string {
  return encodeURI(path).replaceAll(
    /[?#!*'()]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
