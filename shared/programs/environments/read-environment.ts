import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createError, messageOf } from '../../errors/error.ts'
import { openYaml, type YamlSource } from '../project/yaml-source.ts'
import { emptyEnvironment, type EnvironmentValue, mergeValues } from './environment-value.ts'
import { evaluateValues } from './evaluate-values.ts'

/** The folder of the environments of a project, below the folder of its project file. */
export const environmentsFolder = 'environments'

/** Reports whether a text is a valid name of an environment in the folder of a project. */
export function isEnvironmentName(text: string): boolean {
  return /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(text)
}

/**
 * Requires a valid name. Throws the error of `errorOf`, a CONFIG_INVALID with the place of the
 * name. Throws FEATURE_MISSING for an environment of Pulumi ESC.
 */
export function requireEnvironmentName(name: string, errorOf: (sentence: string) => Error): void {
  if (/[:@]/.test(name))
    throw createError(
      'FEATURE_MISSING',
      `${errorOf('').message}the environment '${name}' is one of Pulumi ESC, which is not supported`,
      { hint: `Write its values to a file below \`${environmentsFolder}/\`, and use its name.` },
    )
  if (!isEnvironmentName(name)) throw errorOf(`'${name}' is not the name of an environment`)
}

/** Maximum depth of nested imports. */
const depthMax = 20

/** The imports and values of an environment, or of a stack file, with their places in the file. */
interface EnvironmentDefinition {
  readonly source: YamlSource
  readonly folder: string
  /** The path of `imports` in the file. */
  readonly importsAt: readonly string[]
  readonly imports: unknown
  /** The path of `values` in the file. */
  readonly valuesAt: readonly string[]
  readonly values: unknown
  /**
   * The names in the chain of imports from the stack file to this environment, which is the last
   * one. Empty for the stack file.
   */
  readonly importers: readonly string[]
  /** The environments that are evaluated already, by name. */
  readonly evaluated: Map<string, EnvironmentValue>
}

/**
 * Evaluates the `environment` of a stack file: a list of names, or a map with the same keys as the
 * file of an environment. Each name is that of a file below `environments/` of the project. A later
 * environment overrides earlier ones. Throws CONFIG_INVALID and FEATURE_MISSING, each with file and
 * line.
 */
export function readStackEnvironment(
  source: YamlSource,
  environment: unknown,
  projectFolder: string,
): EnvironmentValue {
  const folder = join(projectFolder, environmentsFolder)
  const common = { source, folder, importers: [], evaluated: new Map() }
  if (!(environment instanceof Map)) {
    const importsAt = ['environment']
    return evaluateDefinition({
      ...common,
      importsAt,
      imports: environment,
      valuesAt: importsAt,
      values: undefined,
    })
  }
  const fields: ReadonlyMap<unknown, unknown> = environment
  requireKnownKeys(source, fields, ['environment'])
  return evaluateDefinition({
    ...common,
    importsAt: ['environment', 'imports'],
    imports: fields.get('imports'),
    valuesAt: ['environment', 'values'],
    values: fields.get('values'),
  })
}

/** The keys of an environment. A description has no effect. */
const knownKeys: readonly unknown[] = ['imports', 'values', 'description']

/** Throws CONFIG_INVALID for another key. `path` is the path of the environment in its file. */
function requireKnownKeys(
  source: YamlSource,
  fields: ReadonlyMap<unknown, unknown>,
  path: readonly string[],
): void {
  for (const key of fields.keys())
    if (!knownKeys.includes(key))
      throw source.errorAt(
        [...path, String(key)],
        `\`${String(key)}\` is not a key of an environment`,
      )
}

function evaluateDefinition(definition: EnvironmentDefinition): EnvironmentValue {
  const { source, importsAt, imports, valuesAt, values } = definition
  let base = emptyEnvironment
  const byName = new Map<string, EnvironmentValue>()
  for (const [index, item] of readList(definition, imports).entries()) {
    const { name, isMerged } = readImport(item, sentence =>
      source.errorAt([...importsAt, index], sentence),
    )
    const value = readNamedEnvironment(definition, name, index)
    byName.set(name, value)
    if (isMerged) base = mergeValues(base, value)
  }
  if (values === undefined || values === null) return base
  if (!(values instanceof Map)) throw source.errorAt(valuesAt, '`values` must be a map')
  return evaluateValues({
    source,
    values,
    valuesPath: valuesAt,
    base,
    imports: { isSecret: false, content: byName },
  })
}

function readList(
  { source, importsAt }: EnvironmentDefinition,
  imports: unknown,
): readonly unknown[] {
  if (imports === undefined || imports === null) return []
  if (!Array.isArray(imports))
    throw source.errorAt(importsAt, 'the imports must be a list of names')
  return imports
}

/** Reads an import: a name, or `<name>: { merge: false }`, which only references can use. */
function readImport(
  item: unknown,
  errorOf: (sentence: string) => Error,
): { readonly name: string; readonly isMerged: boolean } {
  if (typeof item === 'string') return { name: item, isMerged: true }
  const [entry, ...others] = item instanceof Map ? [...item] : []
  if (entry === undefined || others.length > 0)
    throw errorOf('an import is a name, or a name with `merge: false`')
  const [name, options] = entry
  const merge: unknown = options instanceof Map ? options.get('merge') : undefined
  return { name: String(name), isMerged: merge !== false }
}

function readNamedEnvironment(
  { source, folder, importsAt, importers, evaluated }: EnvironmentDefinition,
  name: string,
  index: number,
): EnvironmentValue {
  const evaluatedValue = evaluated.get(name)
  if (evaluatedValue !== undefined) return evaluatedValue
  const errorOf = (sentence: string) => source.errorAt([...importsAt, index], sentence)
  requireEnvironmentName(name, errorOf)
  if (importers.includes(name)) throw errorOf(`the environment '${name}' imports itself`)
  if (importers.length >= depthMax)
    throw errorOf(`the import of '${name}' is nested too deeply: at most ${depthMax} levels`)
  const file = join(folder, `${name}.yaml`)
  const namedSource = openYaml(readEnvironmentFile(file, name, errorOf), file, 'CONFIG_INVALID')
  const content: unknown = namedSource.document.toJS({ mapAsMap: true })
  const fields: ReadonlyMap<unknown, unknown> = content instanceof Map ? content : new Map()
  requireKnownKeys(namedSource, fields, [])
  const value = evaluateDefinition({
    source: namedSource,
    folder,
    importsAt: ['imports'],
    imports: fields.get('imports'),
    valuesAt: ['values'],
    values: fields.get('values'),
    importers: [...importers, name],
    evaluated,
  })
  evaluated.set(name, value)
  return value
}

function readEnvironmentFile(
  file: string,
  name: string,
  errorOf: (sentence: string) => Error,
): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw errorOf(`cannot read the environment '${name}': ${messageOf(cause)}`)
  }
}
