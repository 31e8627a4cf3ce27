import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { isMap } from 'yaml'
import { isRecord } from '../../shared/programs/is-record.ts'
import { openYaml } from '../../shared/programs/project/yaml-source.ts'
import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { isFolderSource } from '../../shared/programs/project/project-plugins.ts'
import type { PackageOperands } from './load-package-schema.ts'

/**
 * Adds a package to `packages` of the project file, as Pulumi does. Comments stay. Returns false
 * for a package from a schema file, which has no source. Relative folders of plugins begin at the
 * project's folder.
 */
export function declareInProject(
  project: Project,
  schema: PackageSchema,
  { plugin, args }: PackageOperands,
): boolean {
  if (plugin.endsWith('.json')) return false
  const { source, version } = isFolderSource(plugin)
    ? { source: makeFolderSource(project, plugin), version: '' }
    : readPluginSource(schema, plugin)
  const declaration =
    args.length === 0
      ? `${source}${version === '' ? '' : `@${version}`}`
      : { source, ...(version !== '' && { version }), parameters: [...args] }
  const text = readFileSync(project.file, 'utf8')
  writeFileSync(project.file, addPackageTo(text, project.file, { name: schema.name, declaration }))
  return true
}

/** Returns the folder of a plugin relative to the project file, in the form `./folder`. */
function makeFolderSource({ root }: Project, folder: string): string {
  const path = relative(root, resolve(root, folder)).split(sep).join('/')
  return path.startsWith('..') ? path : `./${path}`
}

/** Returns the name of a plugin and its version, by default the version that served the schema. */
function readPluginSource(
  schema: PackageSchema,
  plugin: string,
): { readonly source: string; readonly version: string } {
  const [source = '', requestedVersion] = plugin.split('@')
  const pluginVersion = schema.parameterization?.baseProvider.version ?? schema.version ?? ''
  return { source, version: requestedVersion ?? pluginVersion }
}

function addPackageTo(
  text: string,
  file: string,
  entry: { readonly name: string; readonly declaration: string | object },
): string {
  const { name, declaration } = entry
  const { document, errorAt } = openYaml(text, file, 'PROJECT_INVALID')
  const packages: unknown = document.get('packages')
  if (packages !== undefined && packages !== null && !isMap(packages))
    throw errorAt(['packages'], '`packages` must be a map')
  if (file.endsWith('.json')) {
    const json: unknown = JSON.parse(text)
    const members = isRecord(json) ? json : {}
    const existing = isRecord(members['packages']) ? members['packages'] : {}
    return `${JSON.stringify({ ...members, packages: { ...existing, [name]: declaration } }, null, 2)}\n`
  }
  if (!isMap(packages)) document.set('packages', document.createNode({}))
  document.setIn(['packages', name], document.createNode(declaration))
  return document.toString({ lineWidth: 0 })
}
