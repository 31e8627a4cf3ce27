import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

/** A file of the built dashboard, with the content type of its response. */
export interface DashboardFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether the name contains a hash of the contents, so that browsers may keep the file. */
  readonly isImmutable: boolean
}

/** The files of the built dashboard by the path of their address. The page itself is `/`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

/** Content types by the ending of a file. Files with other endings are not served. */
const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

/**
 * Reads all files of the dashboard into memory, from the first folder that has a build. Later
 * builds have no effect on the result. Returns undefined when no folder has a build.
 */
export function readDashboardFiles(folders: readonly string[]): DashboardFiles | undefined {
  const folder = folders.find(candidate => existsSync(join(candidate, 'index.html')))
  if (folder === undefined) return undefined
  const files = new Map<string, DashboardFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types.get(extname(entry.name))
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    const isImmutable = path.startsWith('/assets/')
    const bytes = new Uint8Array(readFileSync(file))
    files.set(path === '/index.html' ? '/' : path, { type, bytes, isImmutable })
  }
  return files
}
