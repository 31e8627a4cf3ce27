import { error, messageOf } from '../../shared/errors/error.ts'
import { isProviderType } from '../../shared/names/provider-reference.ts'
import { childUrn, isUrn, partsOf, typeOf, type Urn } from '../../shared/names/urn.ts'
import { fullVersion } from '../../shared/names/version.ts'
import type { ImportedResource } from '../../shared/records/import.ts'
import type { JsonObject } from '../../shared/values/stored.ts'
import type { ImportFile, ImportSpec } from './import-file.ts'

/** What an import file says once its names are resolved. */
export interface ResolvedImport {
  readonly imports: readonly ImportedResource[]
  /** What the generated program calls each resource. */
  readonly names: ReadonlyMap<Urn, string>
}

/** What names are resolved with. `seal`: makes supplied values safe to be kept; it may throw. */
export interface ResolveAbout {
  readonly stack: string
  readonly project: string
  readonly protect: boolean
  readonly seal: (supplied: JsonObject) => JsonObject
}

/**
 * Resolves the names of an import file to URNs. All mistakes are told at once. Throws CLI_USAGE.
 * Source: docs/spec/step-execution.md#import-step, Pulumi's import command.
 */
export function resolveImports(given: ImportFile, about: ResolveAbout): ResolvedImport {
  const file = { ...given, resources: given.resources.map(withBothNames) }
  const mistakes = file.resources.flatMap(mistakesIn)
  for (const [name, urn] of Object.entries(file.nameTable))
    if (!isUrn(urn)) mistakes.push(`'${name}' of 'nameTable' is no URN: '${urn}'`)
  if (mistakes.length > 0) throw usage(mistakes)
  const { urns, byName, errors } = urnsOf(file, about)
  if (errors.length > 0) throw usage(errors)
  const found: string[] = []
  const imports = file.resources.map((spec, at) =>
    importOf({ spec, at, file, byName, about, told: mistake => found.push(mistake) }),
  )
  if (found.length > 0) throw usage(found)
  return { imports, names: namesOf(file, urns) }
}

function usage(mistakes: readonly string[]): Error {
  const text = mistakes.length === 1 ? mistakes[0] : mistakes.map(one => `\n* ${one}`).join('')
  return error('CLI_USAGE', `the import cannot be done: ${text}`)
}

function withBothNames(spec: ImportSpec): ImportSpec {
  return {
    ...spec,
    name: spec.name || spec.logicalName,
    logicalName: spec.logicalName || spec.name,
  }
}

function described({ name, id, type }: ImportSpec, at: number): string {
  const which = name !== '' ? `'${name}'` : id !== '' ? `'${id}'` : String(at)
  return type === '' ? `resource ${which}` : `resource ${which} of type '${type}'`
}

/** What is wrong with one resource by itself. */
function mistakesIn(spec: ImportSpec, at: number): readonly string[] {
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
  return found.flatMap(([isWrong, what]) => (isWrong ? [`${described(spec, at)} ${what}`] : []))
}

interface Urns {
  /** By position. */
  readonly urns: readonly Urn[]
  readonly byName: ReadonlyMap<string, Urn>
  readonly errors: readonly string[]
}

/** Each resource's URN, its parent's first. */
function urnsOf(file: ImportFile, about: ResolveAbout): Urns {
  const { resources, nameTable } = file
  const errors: string[] = []
  const table = new Map(Object.entries(nameTable) as [string, Urn][])
  const byName = new Map(table)
  const taken = new Set<string>(table.values())
  const urns: (Urn | undefined)[] = resources.map(() => undefined)
  const ambiguous = ambiguousNames(resources)
  const known = new Set([...table.keys(), ...resources.map(({ name }) => name)])
  for (let left = resources.length, before = -1; left > 0 && left !== before; ) {
    before = left
    for (const [at, spec] of resources.entries()) {
      if (urns[at] !== undefined) continue
      const parent = table.get(spec.parent) ?? byName.get(spec.parent)
      if (spec.parent !== '' && ambiguous.has(spec.parent))
        errors.push(`${described(spec, at)} has an ambiguous parent`)
      else if (spec.parent !== '' && !known.has(spec.parent))
        errors.push(
          `the parent '${spec.parent}' for ${described(spec, at)} has no entry in 'nameTable'`,
        )
      else if (spec.parent !== '' && parent === undefined) continue
      const urn = urnUnder(spec, parent, about)
      if (taken.has(urn))
        errors.push(
          `${described(spec, at)} has an ambiguous URN, set name (or logical name) to be unique`,
        )
      taken.add(urn)
      urns[at] = urn
      byName.set(spec.name, urn)
      left -= 1
    }
  }
  const circular = resources.flatMap((spec, at) =>
    urns[at] === undefined ? [`${described(spec, at)} is below itself`] : [],
  )
  return { urns: urns.flatMap(urn => urn ?? []), byName, errors: [...errors, ...circular] }
}

function urnUnder(spec: ImportSpec, parent: Urn | undefined, about: ResolveAbout): Urn {
  const qualified = parent === undefined ? undefined : partsOf(parent).qualifiedType
  return childUrn(about, qualified, { type: spec.type, name: spec.logicalName })
}

/** Names that several resources have: no other may refer to them. */
function ambiguousNames(resources: readonly ImportSpec[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(
    resources.flatMap(({ name }) => {
      if (seen.has(name)) return [name]
      seen.add(name)
      return []
    }),
  )
}

function importOf(asked: {
  readonly spec: ImportSpec
  readonly at: number
  readonly file: ImportFile
  readonly byName: ReadonlyMap<string, Urn>
  readonly about: ResolveAbout
  readonly told: (mistake: string) => unknown
}): ImportedResource {
  const { spec, at, file, byName, about, told } = asked
  const which = described(spec, at)
  const sealed = (supplied: JsonObject | undefined, what: string): JsonObject | undefined => {
    if (supplied === undefined) return undefined
    try {
      return about.seal(supplied)
    } catch (thrown) {
      told(`could not deserialize ${what} for ${which}: ${messageOf(thrown)}`)
      return undefined
    }
  }
  const provider = spec.provider === '' ? '' : (byName.get(spec.provider) ?? 'unknown')
  if (provider === 'unknown')
    told(`the provider '${spec.provider}' for ${which} has no entry in 'nameTable' or 'resources'`)
  else if (provider !== '' && !isProviderType(typeOf(provider)))
    told(`the provider '${spec.provider}' for ${which} is not a provider`)
  if (spec.provider !== '' && ambiguousNames(file.resources).has(spec.provider))
    told(`${which} has an ambiguous provider`)
  const own = isProviderType(spec.type)
    ? (spec.inputs ?? file.providerInputs[spec.name])
    : spec.inputs
  const inputs = sealed(own, 'inputs')
  const outputs = sealed(spec.outputs, 'outputs')
  const configuration = sealed(file.providerInputs[spec.provider], 'provider inputs')
  return {
    type: spec.type,
    name: spec.logicalName,
    id: spec.id,
    parent: spec.parent === '' ? '' : (byName.get(spec.parent) ?? ''),
    provider: provider === 'unknown' ? '' : provider,
    ...packageOf(spec, which, told),
    pluginDownloadUrl: spec.pluginDownloadUrl,
    protect: about.protect,
    isChosen: spec.properties.length > 0,
    component: spec.component ? (spec.remote ? 'remote' : 'local') : 'no',
    ...(inputs === undefined ? {} : { inputs }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(configuration === undefined ? {} : { providerInputs: configuration }),
  }
}

/** What the file says of the package of a resource, its versions in full. */
function packageOf(
  { version, parameterization, extension }: ImportSpec,
  which: string,
  told: (mistake: string) => unknown,
): Pick<ImportedResource, 'version' | 'parameterization' | 'extension'> {
  const whole = (text: string, what: string): string => {
    const found = fullVersion(text)
    if (found === undefined) told(`could not parse ${what} '${text}' for ${which}`)
    return found ?? ''
  }
  const own = version === '' ? '' : whole(version, 'version')
  if (extension !== undefined) return { version: own, extension }
  if (parameterization === undefined) return { version: own }
  const pluginVersion = whole(parameterization.pluginVersion, 'parameterization version')
  return { version: own, parameterization: { ...parameterization, pluginVersion } }
}

/** What each resource is called; of several with one name all but the first get their type too. */
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
