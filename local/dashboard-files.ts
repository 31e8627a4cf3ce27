import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, resolve, sep } from 'node:path'
import type { DashboardFile, DashboardFiles } from '../functions/api/dashboard-routes.ts'

/** The folder of the dashboard in an installed package, and the one in a clone. */
const buildFolders = ['../dist/dashboard', '../.cache/dashboard'].map(folder =>
  resolve(import.meta.dirname, folder),
)

/** Content types by the ending of a file. Files with other endings are not served. */
const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

/**
 * Reads all files of the built dashboard into memory. Later builds have no effect on the result.
 * Returns undefined when the dashboard is not built.
 */
export function readDashboardFiles(folders = buildFolders): DashboardFiles | undefined {
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
