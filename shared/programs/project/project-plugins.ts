import { existsSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { parse } from 'semver'
import { createError } from '../../errors/error.ts'
import type { DeclaredPlugin, Project } from './project.ts'
import { isRecord } from '../is-record.ts'
import { openYaml, type YamlSource } from './yaml-source.ts'

/** A plugin that belongs to the project. It takes precedence over installed plugins. */
export interface ProjectPlugin extends Omit<DeclaredPlugin, 'path' | 'isPackage'> {
  /** The absolute path of the folder with the plugin's file or source code. */
  readonly folder: string
}

const pluginKinds = { providers: 'resource', languages: 'language', analyzers: 'analyzer' } as const

/** Number of plugins above which further nested packages are ignored. */
const pluginsMax = 1000

/**
 * Returns the plugins that a project file declares: `plugins`, and the `packages` whose source is a
 * folder. Throws PROJECT_INVALID.
 */
export function readDeclaredPlugins(
  source: YamlSource,
  content: unknown,
): readonly DeclaredPlugin[] {
  const plugins = isRecord(content) ? content['plugins'] : undefined
  const declaredPlugins: DeclaredPlugin[] = []
  for (const [key, kind] of Object.entries(pluginKinds) as [
    keyof typeof pluginKinds,
    DeclaredPlugin['kind'],
  ][]) {
    const items = isRecord(plugins) ? (plugins[key] ?? []) : []
    if (!Array.isArray(items))
      throw source.errorAt(['plugins', key], `\`plugins.${key}\` must be a list`)
    for (const [index, item] of items.entries()) {
      const yamlPath = ['plugins', key, index]
      const { name, path, version = '' } = isRecord(item) ? item : {}
      if (typeof name !== 'string' || name === '' || typeof path !== 'string' || path === '')
        throw source.errorAt(
          yamlPath,
          `a plugin of \`plugins.${key}\` needs a \`name\` and a \`path\``,
        )
      if (typeof version !== 'string' || (version !== '' && parse(version)?.raw !== version))
        throw source.errorAt(
          yamlPath,
          `the \`version\` of plugin '${name}' is not a semantic version`,
        )
      if (declaredPlugins.some(other => isSamePlugin(other, { kind, name, version })))
        throw source.errorAt(yamlPath, `plugin '${name}' ${version} is declared twice`)
      declaredPlugins.push({ kind, name, version, path, isPackage: false })
    }
  }
  return [...declaredPlugins, ...readLocalPackages(content)]
}

/**
 * Reports whether two declarations are of the same version of a plugin. The version '' equals no
 * other version, not even ''.
 */
function isSamePlugin(
  a: Pick<DeclaredPlugin, 'kind' | 'name' | 'version'>,
  { kind, name, version }: Pick<DeclaredPlugin, 'kind' | 'name' | 'version'>,
): boolean {
  return a.kind === kind && a.name === name && a.version !== '' && a.version === version
}

/** Returns the packages of a project or plugin file whose source is a folder. */
function readLocalPackages(content: unknown): readonly DeclaredPlugin[] {
  const packages = isRecord(content) ? content['packages'] : undefined
  return Object.entries(isRecord(packages) ? packages : {}).flatMap(([name, declaration]) => {
    const path: unknown = isRecord(declaration) ? declaration['source'] : declaration
    if (typeof path !== 'string' || !isFolderSource(path)) return []
    return [{ kind: 'resource' as const, name, version: '', path, isPackage: true }]
  })
}

/** Reports whether a source is a folder, rather than a plugin name or an address. */
export function isFolderSource(source: string): boolean {
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(source)) return true
  const [host = '', ...otherParts] = source.split('/')
  return otherParts.length > 0 && !/[.:@]/.test(host)
}

/**
 * Returns the plugins of a project and of its packages, recursively, each with an existing folder.
 * Relative paths begin at the project's folder, even in the files of nested packages. Throws
 * PROJECT_INVALID. Source: docs/spec/provider-protocol.md#lookup-order.
 */
export function resolveProjectPlugins({
  plugins,
  root,
  file,
}: Pick<Project, 'plugins' | 'root' | 'file'>): readonly ProjectPlugin[] {
  const remainingPlugins = [...plugins]
  const foundNames = new Set(plugins.map(pluginNameOf))
  const projectPlugins: ProjectPlugin[] = []
  for (
    let declaration = remainingPlugins.shift();
    declaration !== undefined;
    declaration = remainingPlugins.shift()
  ) {
    const { path, isPackage, ...plugin } = declaration
    const folder = isAbsolute(path) ? path : resolve(root, path)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw createError(
        'PROJECT_INVALID',
        `${file}: plugin '${plugin.name}': no folder at ${folder}`,
      )
    projectPlugins.push({ ...plugin, folder })
    for (const nestedPlugin of isPackage ? readNestedPackages(folder) : []) {
      if (foundNames.has(pluginNameOf(nestedPlugin)) || foundNames.size > pluginsMax) continue
      foundNames.add(pluginNameOf(nestedPlugin))
      remainingPlugins.push(nestedPlugin)
    }
  }
  return projectPlugins
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
