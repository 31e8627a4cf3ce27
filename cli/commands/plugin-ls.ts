import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import {
  listCachedPlugins,
  type NamedCachedPlugin,
} from '../../shared/providers/plugins/cached-plugins.ts'
import { listedPluginForm } from '../../shared/runtime/plugins/listed-plugin.ts'
import { terraformKind } from '../../shared/runtime/plugins/plugin-source-name.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { findUserPluginCache, readRequiredPackages } from '../plugins/plugin-command-tools.ts'
import { listTerraformProviders } from '../plugins/terraform-providers.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { requireApi } from '../remote/require-api.ts'
import type { CliSession } from '../session/session.ts'

/**
 * `plugin ls --api`: lists the plugins that the API stores for its functions. With `--project` it
 * lists only those that the project requires.
 */
async function listStoredPlugins(session: CliSession, flags: Flags): Promise<number> {
  const api = await requireApi(
    session,
    'plugins of functions require',
    'Run `antichain login <address>`, or omit --api to list the plugins of this machine.',
  )
  const isListed = await createProjectFilter(session, flags)
  const plugins = (await listAllItems(api, '/v1/plugins', listedPluginForm)).filter(isListed)
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify(plugins, null, 2))
    return 0
  }
  const cells = plugins.map(({ name, kind, version, os, arch, source, storedAtMs }) => [
    name,
    kind,
    version,
    `${os}-${arch}`,
    source ?? 'upload',
    new Date(storedAtMs).toISOString(),
  ])
  const header = ['NAME', 'KIND', 'VERSION', 'PLATFORM', 'SOURCE', 'STORED']
  for (const line of formatTable(header, cells)) session.print(line)
  return 0
}

/**
 * `plugin ls`: lists the cached plugins, and then the cached Terraform providers. With `--project`
 * it lists only the cached plugins that the project requires. Each list is sorted by name, with the
 * newest version first.
 */
export const listPlugins: Handler = async (session, flags) => {
  if (flags.isSet('api')) return listStoredPlugins(session, flags)
  const plugins = listCachedPlugins(findUserPluginCache(session))
    .filter(await createProjectFilter(session, flags))
    .toSorted(compareByName)
  const terraformProviders = flags.isSet('project') ? [] : listTerraformProviders(session)
  const rows = [
    ...plugins,
    ...terraformProviders
      .map(({ source, ...provider }) => ({ ...provider, name: source, kind: terraformKind }))
      .toSorted(compareByName),
  ].map(plugin => ({
    name: plugin.name,
    kind: plugin.kind,
    version: plugin.version,
    size: sizeBytesOf(plugin.folder),
    installTime: creationTimeOf(plugin.folder),
    lastUsedTime: lastUsedTimeOf(plugin),
  }))
  if (isJsonOutput(flags)) {
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
  const totalBytes = rows.reduce((sum, { size }) => sum + size, 0)
  session.print(`TOTAL plugin cache size: ${formatBytes(totalBytes)}`)
  return 0
}

/**
 * Creates the filter of `--project`, which selects the plugins that the project requires. Without
 * the option, it selects all plugins.
 */
async function createProjectFilter(
  session: CliSession,
  flags: Flags,
): Promise<(plugin: { readonly name: string; readonly version: string }) => boolean> {
  if (!flags.isSet('project')) return () => true
  const requiredPackages = await readRequiredPackages(session)
  const requiredPlugins = new Set(
    requiredPackages.map(
      ({ pkg, version, parameters }) => `${parameters?.plugin ?? pkg} ${version}`,
    ),
  )
  return ({ name, version }) => requiredPlugins.has(`${name} ${version}`)
}

function compareByName(
  a: { readonly name: string; readonly version: string },
  b: { readonly name: string; readonly version: string },
): number {
  return compareTexts(a.name, b.name) || semver.rcompare(a.version, b.version)
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function sizeBytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeBytesOf(path) : lstatSync(path).size)
  }, 0)
}

function creationTimeOf(folder: string): string {
  return statSync(folder).birthtime.toISOString()
}

/**
 * Returns the modification time of Pulumi's marker file next to the folder, or else the access time
 * of the folder.
 */
function lastUsedTimeOf({ folder }: NamedCachedPlugin): string {
  const marker = statSync(`${folder}.lastused`, { throwIfNoEntry: false })
  return (marker?.mtime ?? statSync(folder).atime).toISOString()
}

function formatBytes(sizeBytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'] as const
  const unitIndex = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(sizeBytes, 1)) / 3))
  return `${Math.round(sizeBytes / 1000 ** unitIndex)} ${units[unitIndex] ?? 'B'}`
}
