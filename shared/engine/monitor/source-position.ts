import { isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where in the project a line of code stands: `project:///index.ts#3,7`; '' when it cannot be told.
 * A path is told from the root, so that a state does not name folders of somebody's machine.
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
  const inside = relative(resolve(root), path)
  if (isAbsolute(inside)) return ''
  const line =
    position.line === 0
      ? ''
      : `#${position.line}${position.column === 0 ? '' : `,${position.column}`}`
  return `project:///${escapePath(inside.split(sep).join('/'))}${line}`
}

/** A path as Go writes it into a URL, which is what states hold. */
function escapePath(path: string): string {
  return encodeURI(path).replaceAll(
    /[?#!*'()]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
