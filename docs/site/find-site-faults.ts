import { posix } from 'node:path'

/** The address that relative paths are resolved against. Requests never use it. */
const placeholderOrigin = 'http://site'

/**
 * Finds the faults of a site: links to files and sections that do not exist, and files that the
 * browser would load from other hosts.
 *
 * @param pages the HTML of each page by its path below the base, such as `spec/index.html`.
 * @param files the paths of all files of the site.
 * @param base the path of the site at its host, such as `/`.
 */
export function findSiteFaults(
  pages: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
  base: string,
): readonly string[] {
  const sections = new Map([...pages].map(([path, html]) => [path, listSections(html)]))
  return [...pages].flatMap(([path, html]) => [
    ...[...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].flatMap(([, target = '']) =>
      isDeadLink(target, path) ? [`${path}: the link ${target} leads nowhere`] : [],
    ),
    ...listForeignFiles(html).map(target => `${path}: ${target} is a file of another host`),
  ])

  function isDeadLink(target: string, path: string): boolean {
    const url = new URL(target.replaceAll('&amp;', '&'), `${placeholderOrigin}${base}${path}`)
    if (url.origin !== placeholderOrigin) return false
    if (!url.pathname.startsWith(base)) return true
    const file = completePath(decodeURIComponent(url.pathname.slice(base.length)))
    if (!files.has(file)) return true
    const section = decodeURIComponent(url.hash.slice(1))
    return section !== '' && sections.get(file)?.has(section) === false
  }
}

/** Returns the file that a server sends for a path. */
function completePath(path: string): string {
  return path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path
}

function listSections(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
}

function listForeignFiles(html: string): readonly string[] {
  const loaded =
    /<(?:img|script|link|iframe|source)\b[^>]*?\s(?:src|href)="((?:https?:)?\/\/[^"]*)"/g
  return [...html.matchAll(loaded)].map(([, target = '']) => target)
}
