import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { parse } from 'semver'
import { error } from '../../errors/error.ts'
import type { DeclaredPlugin, Project } from './project.ts'
import { isRecord } from '../is-record.ts'
import { openYaml, type YamlSource } from './yaml-source.ts'

/** A plugin that belongs to the project. It takes precedence over installed plugins. */
export interface ProjectPlugin extends Omit<DeclaredPlugin, 'path' | 'isPackage'> {
  /** The absolute path of the folder with the plugin's file or source code. */
  readonly folder: string
}

const kinds = { providers: 'resource', languages: 'language', analyzers: 'analyzer' } as const

/** Maximum number of packages that are searched for nested packages. */
const packagesMax = 1000

/**
 * Returns the plugins that a project file declares: `plugins`, and the `packages` whose source is a
 * folder. Throws PROJECT_INVALID.
 */
export function readDeclaredPlugins(source: YamlSource, data: unknown): readonly DeclaredPlugin[] {
  const plugins = isRecord(data) ? data['plugins'] : undefined
  const declared: DeclaredPlugin[] = []
  for (const [key, kind] of Object.entries(kinds) as [
    keyof typeof kinds,
    DeclaredPlugin['kind'],
  ][]) {
    const listed = isRecord(plugins) ? (plugins[key] ?? []) : []
    if (!Array.isArray(listed))
      throw source.errorAt(['plugins', key], `\`plugins.${key}\` must be a list`)
    for (const [at, one] of listed.entries()) {
      const place = ['plugins', key, at]
      const { name, path, version = '' } = isRecord(one) ? one : {}
      if (typeof name !== 'string' || name === '' || typeof path !== 'string' || path === '')
        throw source.errorAt(
          place,
          `a plugin of \`plugins.${key}\` needs a \`name\` and a \`path\``,
        )
      if (typeof version !== 'string' || (version !== '' && parse(version)?.raw !== version))
        throw source.errorAt(place, `the \`version\` of plugin '${name}' is not a semantic version`)
      if (declared.some(other => isSamePlugin(other, { kind, name, version })))
        throw source.errorAt(place, `plugin '${name}' ${version} is declared twice`)
      declared.push({ kind, name, version, path, isPackage: false })
    }
  }
  return [...declared, ...readLocalPackages(data)]
}

function isSamePlugin(
  a: Pick<DeclaredPlugin, 'kind' | 'name' | 'version'>,
  { kind, name, version }: Pick<DeclaredPlugin, 'kind' | 'name' | 'version'>,
): boolean {
  return a.kind === kind && a.name === name && a.version !== '' && a.version === version
}

/** Returns the packages of a project or plugin file whose source is a folder. */
function readLocalPackages(data: unknown): readonly DeclaredPlugin[] {
  const packages = isRecord(data) ? data['packages'] : undefined
  return Object.entries(isRecord(packages) ? packages : {}).flatMap(([name, declared]) => {
    const path: unknown = isRecord(declared) ? declared['source'] : declared
    if (typeof path !== 'string' || !isLocal(path)) return []
    return [{ kind: 'resource' as const, name, version: '', path, isPackage: true }]
  })
}

/** Reports whether a source is a folder, rather than a plugin name or an address. */
function isLocal(source: string): boolean {
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(source)) return true
  const [host = '', ...more] = source.split('/')
  return more.length > 0 && !/[.:@]/.test(host)
}

/**
 * Returns the plugins of a project and of its packages, recursively, each with an existing folder.
 * All paths are relative to the project. Throws PROJECT_INVALID. Source: provider-protocol 3.2.
 */
export function resolveProjectPlugins({
  plugins,
  root,
  file,
}: Pick<Project, 'plugins' | 'root' | 'file'>): readonly ProjectPlugin[] {
  const open = [...plugins]
  const seen = new Set(plugins.map(pluginNameOf))
  const found: ProjectPlugin[] = []
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    const { path, isPackage, ...plugin } = one
    const folder = isAbsolute(path) ? path : resolve(root, path)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw error('PROJECT_INVALID', `${file}: plugin '${plugin.name}': no folder at ${folder}`)
    found.push({ ...plugin, folder })
    for (const below of isPackage ? readNestedPackages(folder) : []) {
      if (seen.has(pluginNameOf(below)) || seen.size > packagesMax) continue
      seen.add(pluginNameOf(below))
      open.push(below)
    }
  }
  return found
}

function pluginNameOf({ kind, name }: DeclaredPlugin): string {
  return `${kind} ${name}`
}

function readNestedPackages(folder: string): readonly DeclaredPlugin[] {
  const file = join(folder, 'PulumiPlugin.yaml')
  if (!existsSync(file)) return []
  const { document } = openYaml(readFileSync(file, 'utf8'), file, 'PROJECT_INVALID')
  return readLocalPackages(document.toJS())
}
