import { error, messageOf } from '../../shared/errors/error.ts'
import { isProviderType } from '../../shared/names/provider-reference.ts'
import { childUrnOf, isUrn, urnPartsOf, typeOf, type Urn } from '../../shared/names/urn.ts'
import { completeVersion } from '../../shared/names/version.ts'
import type { ImportedResource } from '../../shared/records/import.ts'
import type { JsonObject } from '../../shared/values/stored.ts'
import type { ImportFile, ImportSpec } from './import-file.ts'

/** The contents of an import file after its names are resolved. */
export interface ResolvedImport {
  readonly imports: readonly ImportedResource[]
  /** The name of each resource in the generated program. */
  readonly names: ReadonlyMap<Urn, string>
}

/** The context for resolving names. `seal` encrypts supplied values for storage, and may throw. */
export interface ResolveOptions {
  readonly stack: string
  readonly project: string
  readonly protect: boolean
  readonly seal: (supplied: JsonObject) => JsonObject
}

/**
 * Resolves the names of an import file to URNs. All errors are reported together. Throws CLI_USAGE.
 * Source: docs/spec/step-execution.md#import-step, Pulumi's import command.
 */
export function resolveImports(importFile: ImportFile, options: ResolveOptions): ResolvedImport {
  const file = { ...importFile, resources: importFile.resources.map(withBothNames) }
  const mistakes = file.resources.flatMap(findMistakes)
  for (const [name, urn] of Object.entries(file.nameTable))
    if (!isUrn(urn)) mistakes.push(`'${name}' in 'nameTable' is not a valid URN: '${urn}'`)
  if (mistakes.length > 0) throw usageErrorOf(mistakes)
  const { urns, byName, errors } = assignUrns(file, options)
  if (errors.length > 0) throw usageErrorOf(errors)
  const found: string[] = []
  const imports = file.resources.map((spec, at) =>
    resolveImport({ spec, at, file, byName, options, onMistake: mistake => found.push(mistake) }),
  )
  if (found.length > 0) throw usageErrorOf(found)
  return { imports, names: namesOf(file, urns) }
}

function usageErrorOf(mistakes: readonly string[]): Error {
  const text = mistakes.length === 1 ? mistakes[0] : mistakes.map(one => `\n* ${one}`).join('')
  return error('CLI_USAGE', `cannot import: ${text}`)
}

function withBothNames(spec: ImportSpec): ImportSpec {
  return {
    ...spec,
    name: spec.name || spec.logicalName,
    logicalName: spec.logicalName || spec.name,
  }
}

function describeSpec({ name, id, type }: ImportSpec, at: number): string {
  const which = name !== '' ? `'${name}'` : id !== '' ? `'${id}'` : String(at)
  return type === '' ? `resource ${which}` : `resource ${which} of type '${type}'`
}

/** Returns the errors of one resource that do not depend on others. */
function findMistakes(spec: ImportSpec, at: number): readonly string[] {
  const { type, name, id, component, remote, outputs, parameterization, extension } = spec
  const isProvider = isProviderType(type)
  const found: readonly (readonly [boolean, string])[] = [
    [type === '', 'has no type'],
    [name === '', 'has no name'],
    [isProvider && id !== '', 'has an ID, but is a provider, which is created rather than read'],
    [isProvider && component, 'is a provider and may not be marked as a component'],
    [isProvider && Object.keys(outputs ?? {}).length > 0, 'is a provider and may not have outputs'],
    [!isProvider && !component && id === '', 'has no ID'],
    [!isProvider && component && id !== '', 'has an ID, but is marked as a component'],
    [remote && !component, 'is marked as remote, but not as a component'],
    [
      parameterization !== undefined && extension !== undefined,
      'has both a parameterization and an extension, which are mutually exclusive',
    ],
  ]
  return found.flatMap(([isWrong, what]) => (isWrong ? [`${describeSpec(spec, at)} ${what}`] : []))
}

interface Urns {
  /** By position. */
  readonly urns: readonly Urn[]
  readonly byName: ReadonlyMap<string, Urn>
  readonly errors: readonly string[]
}

/** Assigns the URN of each resource, parents first. */
function assignUrns(file: ImportFile, options: ResolveOptions): Urns {
  const { resources, nameTable } = file
  const errors: string[] = []
  const table = new Map(Object.entries(nameTable) as [string, Urn][])
  const byName = new Map(table)
  const taken = new Set<string>(table.values())
  const urns: (Urn | undefined)[] = resources.map(() => undefined)
  const ambiguous = findAmbiguousNames(resources)
  const known = new Set([...table.keys(), ...resources.map(({ name }) => name)])
  for (let left = resources.length, before = -1; left > 0 && left !== before; ) {
    before = left
    for (const [at, spec] of resources.entries()) {
      if (urns[at] !== undefined) continue
      const parent = table.get(spec.parent) ?? byName.get(spec.parent)
      if (spec.parent !== '' && ambiguous.has(spec.parent))
        errors.push(`${describeSpec(spec, at)} has an ambiguous parent`)
      else if (spec.parent !== '' && !known.has(spec.parent))
        errors.push(
          `the parent '${spec.parent}' for ${describeSpec(spec, at)} has no entry in 'nameTable'`,
        )
      else if (spec.parent !== '' && parent === undefined) continue
      const urn = urnOfChild(spec, parent, options)
      if (taken.has(urn))
        errors.push(
          `${describeSpec(spec, at)} has an ambiguous URN, set name (or logical name) to be unique`,
        )
      taken.add(urn)
      urns[at] = urn
      byName.set(spec.name, urn)
      left -= 1
    }
  }
  const circular = resources.flatMap((spec, at) =>
    urns[at] === undefined ? [`${describeSpec(spec, at)} is its own ancestor`] : [],
  )
  return { urns: urns.flatMap(urn => urn ?? []), byName, errors: [...errors, ...circular] }
}

function urnOfChild(spec: ImportSpec, parent: Urn | undefined, options: ResolveOptions): Urn {
  const qualified = parent === undefined ? undefined : urnPartsOf(parent).qualifiedType
  return childUrnOf(options, qualified, { type: spec.type, name: spec.logicalName })
}

/** Returns the names that several resources have. Other resources cannot refer to them. */
function findAmbiguousNames(resources: readonly ImportSpec[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(
    resources.flatMap(({ name }) => {
      if (seen.has(name)) return [name]
      seen.add(name)
      return []
    }),
  )
}

function resolveImport(context: {
  readonly spec: ImportSpec
  readonly at: number
  readonly file: ImportFile
  readonly byName: ReadonlyMap<string, Urn>
  readonly options: ResolveOptions
  readonly onMistake: (mistake: string) => unknown
}): ImportedResource {
  const { spec, at, file, byName, options, onMistake } = context
  const which = describeSpec(spec, at)
  const seal = (supplied: JsonObject | undefined, what: string): JsonObject | undefined => {
    if (supplied === undefined) return undefined
    try {
      return options.seal(supplied)
    } catch (thrown) {
      onMistake(`could not deserialize ${what} for ${which}: ${messageOf(thrown)}`)
      return undefined
    }
  }
  const provider = spec.provider === '' ? '' : (byName.get(spec.provider) ?? 'unknown')
  if (provider === 'unknown')
    onMistake(
      `the provider '${spec.provider}' for ${which} has no entry in 'nameTable' or 'resources'`,
    )
  else if (provider !== '' && !isProviderType(typeOf(provider)))
    onMistake(`the provider '${spec.provider}' for ${which} is not a provider`)
  if (spec.provider !== '' && findAmbiguousNames(file.resources).has(spec.provider))
    onMistake(`${which} has an ambiguous provider`)
  const own = isProviderType(spec.type)
    ? (spec.inputs ?? file.providerInputs[spec.name])
    : spec.inputs
  const inputs = seal(own, 'inputs')
  const outputs = seal(spec.outputs, 'outputs')
  const configuration = seal(file.providerInputs[spec.provider], 'provider inputs')
  return {
    type: spec.type,
    name: spec.logicalName,
    id: spec.id,
    parent: spec.parent === '' ? '' : (byName.get(spec.parent) ?? ''),
    provider: provider === 'unknown' ? '' : provider,
    ...resolvePackage(spec, which, onMistake),
    pluginDownloadUrl: spec.pluginDownloadUrl,
    protect: options.protect,
    isChosen: spec.properties.length > 0,
    component: spec.component ? (spec.remote ? 'remote' : 'local') : 'no',
    ...(inputs === undefined ? {} : { inputs }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(configuration === undefined ? {} : { providerInputs: configuration }),
  }
}

/** Returns the package fields of a resource, with complete versions. */
function resolvePackage(
  { version, parameterization, extension }: ImportSpec,
  which: string,
  onMistake: (mistake: string) => unknown,
): Pick<ImportedResource, 'version' | 'parameterization' | 'extension'> {
  const parseFullVersion = (text: string, what: string): string => {
    const found = completeVersion(text)
    if (found === undefined) onMistake(`could not parse ${what} '${text}' for ${which}`)
    return found ?? ''
  }
  const own = version === '' ? '' : parseFullVersion(version, 'version')
  if (extension !== undefined) return { version: own, extension }
  if (parameterization === undefined) return { version: own }
  const pluginVersion = parseFullVersion(parameterization.pluginVersion, 'parameterization version')
  return { version: own, parameterization: { ...parameterization, pluginVersion } }
}

/**
 * Returns the name of each resource in the program. If several have the same name, the type is
 * appended to all but the first.
 */
function namesOf(file: ImportFile, urns: readonly Urn[]): ReadonlyMap<Urn, string> {
  const names = new Map(
    Object.entries(file.nameTable).map(([name, urn]) => [urn as Urn, name] as const),
  )
  const used = new Set([...names.values()])
  const wanted = new Set(file.resources.map(({ name }) => name))
  for (const [at, { name, type }] of file.resources.entries()) {
    const urn = urns[at]
    if (urn === undefined) continue
    let chosen = name
    const word = type.split(':').at(-1) ?? ''
    const longer = `${name}${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
    for (let count = 1; used.has(chosen); count += 1) {
      chosen = count === 1 ? longer : `${longer}${count}`
      if (wanted.has(chosen)) used.add(chosen)
    }
    used.add(chosen)
    names.set(urn, chosen)
  }
  return names
}
