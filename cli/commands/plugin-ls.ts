import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import {
  listCachedPlugins,
  type NamedCachedPlugin,
} from '../../shared/providers/plugins/plugin-cache.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { userPluginCache, readRequiredPackages } from '../plugins/plugin-cache.ts'
import { formatTable } from '../display/table.ts'

/** `plugin ls`: lists the plugin cache by name, the newest version first. */
export const listPlugins: Handler = async (session, flags) => {
  const requiredPlugins = flags.isSet('project')
    ? new Set(
        readRequiredPackages(session).map(
          ({ pkg, version, parameters }) => `${parameters?.plugin ?? pkg} ${version}`,
        ),
      )
    : undefined
  const plugins = listCachedPlugins(userPluginCache(session))
    .filter(
      ({ name, version }) =>
        requiredPlugins === undefined || requiredPlugins.has(`${name} ${version}`),
    )
    .toSorted((a, b) => compare(a.name, b.name) || semver.rcompare(a.version, b.version))
  const rows = plugins.map(plugin => ({
    name: plugin.name,
    kind: plugin.kind,
    version: plugin.version,
    size: sizeOf(plugin.folder),
    installTime: creationTimeOf(plugin.folder),
    lastUsedTime: lastUsedOf(plugin),
  }))
  if (flags.isSet('json')) {
    session.print(JSON.stringify(rows, null, 2))
    return 0
  }
  const cells = rows.map(row => [
    row.name,
    row.kind,
    row.version,
    formatBytes(row.size),
    row.installTime,
    row.lastUsedTime,
  ])
  const header = ['NAME', 'KIND', 'VERSION', 'SIZE', 'INSTALLED', 'LAST USED']
  for (const line of formatTable(header, cells)) session.print(line)
  session.print('')
  const total = rows.reduce((sum, { size }) => sum + size, 0)
  session.print(`TOTAL plugin cache size: ${formatBytes(total)}`)
  return 0
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(path) : lstatSync(path).size)
  }, 0)
}

function creationTimeOf(folder: string): string {
  return statSync(folder).birthtime.toISOString()
}

/**
 * Returns the time of Pulumi's marker file beside the folder, or else the access time of the
 * folder.
 */
function lastUsedOf({ folder }: NamedCachedPlugin): string {
  const marker = statSync(`${folder}.lastused`, { throwIfNoEntry: false })
  return (marker?.mtime ?? statSync(folder).atime).toISOString()
}

function formatBytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB'] as const
  const unitIndex = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  return `${Math.round(size / 1000 ** unitIndex)} ${units[unitIndex] ?? 'B'}`
}
