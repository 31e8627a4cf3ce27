import { readFileSync } from 'node:fs'
import { isRecord } from '../../shared/programs/is-record.ts'
import { openYaml } from '../../shared/programs/project/yaml-source.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import type { PackageOperands } from './load-package-schema.ts'

/** A package of the project file that `package add` has declared or could add. */
export interface DeclaredPackage extends PackageOperands {
  readonly name: string
}

/**
 * Returns the packages in `packages` of the project file, as operands of `package add`. Packages in
 * folders are left out, because their plugins run from there. Throws PROJECT_INVALID.
 */
export function listDeclaredPackages(project: Project): readonly DeclaredPackage[] {
  const text = readFileSync(project.file, 'utf8')
  const content: unknown = openYaml(text, project.file, 'PROJECT_INVALID').document.toJS()
  const packages = isRecord(content) ? content['packages'] : undefined
  if (!isRecord(packages)) return []
  return Object.entries(packages).flatMap(([name, declaration]) => {
    const { plugin, args } = readDeclaration(declaration)
    return plugin === '' || /^[./]/.test(plugin) ? [] : [{ name, plugin, args }]
  })
}

function readDeclaration(declaration: unknown): PackageOperands {
  if (typeof declaration === 'string') return { plugin: declaration, args: [] }
  if (!isRecord(declaration)) return { plugin: '', args: [] }
  const { source, version, parameters } = declaration
  const name = typeof source === 'string' ? source : ''
  const hasVersion = typeof version === 'string' && version !== '' && !name.includes('@')
  return {
    plugin: hasVersion ? `${name}@${version}` : name,
    args: Array.isArray(parameters) ? parameters.map(String) : [],
  }
}
