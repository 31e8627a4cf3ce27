import { createError, messageOf } from '../../shared/errors/error.ts'
import { isProviderType } from '../../shared/names/provider-reference.ts'
import { childUrnOf, isUrn, urnPartsOf, typeOf, type Urn } from '../../shared/names/urn.ts'
import { completeVersion } from '../../shared/names/version.ts'
import type { ImportedResource } from '../../shared/records/imported-resource.ts'
import type { JsonObject } from '../../shared/values/value-codec.ts'
import type { ImportFile, ImportSpec } from './import-file.ts'

/** The contents of an import file after its names are resolved. */
export interface ResolvedImport {
  readonly imports: readonly ImportedResource[]
  /** The name of each resource in the generated program. */
  readonly names: ReadonlyMap<Urn, string>
}

/**
 * The stack of an import, whether its resources are protected, and `seal`. `seal` encrypts the
 * secrets in inputs and outputs of the file for storage, and throws for malformed values.
 */
export interface ResolveOptions {
  readonly stack: string
  readonly project: string
  readonly protect: boolean
  readonly seal: (values: JsonObject) => JsonObject
}

/**
 * Resolves the names of an import file to URNs. Fields, URNs and references are checked in this
 * order. The first failing check reports all of its errors together. Throws CLI_USAGE. Source:
 * docs/spec/step-execution.md#import-step, Pulumi's import command.
 */
export function resolveImports(importFile: ImportFile, options: ResolveOptions): ResolvedImport {
  const file = { ...importFile, resources: importFile.resources.map(completeNames) }
  const fieldErrors = file.resources.flatMap(findFieldErrors)
  for (const [name, urn] of Object.entries(file.nameTable))
    if (!isUrn(urn)) fieldErrors.push(`'${name}' in 'nameTable' is not a valid URN: '${urn}'`)
  if (fieldErrors.length > 0) throw usageErrorOf(fieldErrors)
  const { urns, urnByName, urnErrors } = assignUrns(file, options)
  if (urnErrors.length > 0) throw usageErrorOf(urnErrors)
  const referenceErrors: string[] = []
  const imports = file.resources.map((spec, index) =>
    resolveImport({
      spec,
      index,
      file,
      urnByName,
      options,
      addError: sentence => referenceErrors.push(sentence),
    }),
  )
  if (referenceErrors.length > 0) throw usageErrorOf(referenceErrors)
  return { imports, names: assignProgramNames(file, urns) }
}

function usageErrorOf(sentences: readonly string[]): Error {
  const text =
    sentences.length === 1 ? sentences[0] : sentences.map(sentence => `\n* ${sentence}`).join('')
  return createError('CLI_USAGE', `cannot import: ${text}`)
}

function completeNames(spec: ImportSpec): ImportSpec {
  return {
    ...spec,
    name: spec.name || spec.logicalName,
    logicalName: spec.logicalName || spec.name,
  }
}

function describeSpec({ name, id, type }: ImportSpec, index: number): string {
  const subject = name !== '' ? `'${name}'` : id !== '' ? `'${id}'` : String(index)
  return type === '' ? `resource ${subject}` : `resource ${subject} of type '${type}'`
}

/** Returns the errors in the fields of one resource. */
function findFieldErrors(spec: ImportSpec, index: number): readonly string[] {
  const { type, name, id, component, remote, outputs, parameterization, extension } = spec
  const isProvider = isProviderType(type)
  const checks: readonly (readonly [isWrong: boolean, text: string])[] = [
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
  return checks.flatMap(([isWrong, text]) =>
    isWrong ? [`${describeSpec(spec, index)} ${text}`] : [],
  )
}

interface AssignedUrns {
  /** The URNs in the order of the file. */
  readonly urns: readonly Urn[]
  /** If an entry of `nameTable` and a resource have the same name, the map has only the entry. */
  readonly urnByName: ReadonlyMap<string, Urn>
  readonly urnErrors: readonly string[]
}

/** Assigns the URN of each resource, in passes: a resource after its parent. */
function assignUrns(file: ImportFile, options: ResolveOptions): AssignedUrns {
  const { resources, nameTable } = file
  const urnErrors: string[] = []
  const table = new Map(Object.entries(nameTable) as [string, Urn][])
  const urnByName = new Map(table)
  const assignedUrns = new Set<string>(table.values())
  const urns: (Urn | undefined)[] = resources.map(() => undefined)
  const ambiguousNames = findAmbiguousNames(resources)
  const definedNames = new Set([...table.keys(), ...resources.map(({ name }) => name)])
  for (
    let remainingCount = resources.length, previousCount = -1;
    remainingCount > 0 && remainingCount !== previousCount;
  ) {
    previousCount = remainingCount
    for (const [index, spec] of resources.entries()) {
      if (urns[index] !== undefined) continue
      const parent = urnByName.get(spec.parent)
      if (spec.parent !== '' && ambiguousNames.has(spec.parent))
        urnErrors.push(`${describeSpec(spec, index)} has an ambiguous parent`)
      else if (spec.parent !== '' && !definedNames.has(spec.parent))
        urnErrors.push(
          `the parent '${spec.parent}' for ${describeSpec(spec, index)} has no entry in 'nameTable'`,
        )
      else if (spec.parent !== '' && parent === undefined) continue
      const urn = urnOfChild(spec, parent, options)
      if (assignedUrns.has(urn))
        urnErrors.push(
          `${describeSpec(spec, index)} has an ambiguous URN, set name (or logical name) to be unique`,
        )
      assignedUrns.add(urn)
      urns[index] = urn
      if (!table.has(spec.name)) urnByName.set(spec.name, urn)
      remainingCount -= 1
    }
  }
  const cycleErrors = resources.flatMap((spec, index) =>
    urns[index] === undefined ? [`${describeSpec(spec, index)} is its own ancestor`] : [],
  )
  return {
    urns: urns.flatMap(urn => urn ?? []),
    urnByName,
    urnErrors: [...urnErrors, ...cycleErrors],
  }
}

function urnOfChild(spec: ImportSpec, parent: Urn | undefined, options: ResolveOptions): Urn {
  const parentType = parent === undefined ? undefined : urnPartsOf(parent).qualifiedType
  return childUrnOf(options, parentType, { type: spec.type, name: spec.logicalName })
}

/** Returns the names that several resources have. Other resources cannot refer to them. */
function findAmbiguousNames(resources: readonly ImportSpec[]): ReadonlySet<string> {
  const visitedNames = new Set<string>()
  return new Set(
    resources.flatMap(({ name }) => {
      if (visitedNames.has(name)) return [name]
      visitedNames.add(name)
      return []
    }),
  )
}

function resolveImport(context: {
  readonly spec: ImportSpec
  readonly index: number
  readonly file: ImportFile
  readonly urnByName: ReadonlyMap<string, Urn>
  readonly options: ResolveOptions
  readonly addError: (sentence: string) => unknown
}): ImportedResource {
  const { spec, index, file, urnByName, options, addError } = context
  const subject = describeSpec(spec, index)
  const seal = (values: JsonObject | undefined, description: string): JsonObject | undefined => {
    if (values === undefined) return undefined
    try {
      return options.seal(values)
    } catch (thrown) {
      addError(`could not deserialize ${description} for ${subject}: ${messageOf(thrown)}`)
      return undefined
    }
  }
  const provider = spec.provider === '' ? '' : urnByName.get(spec.provider)
  if (provider === undefined)
    addError(
      `the provider '${spec.provider}' for ${subject} has no entry in 'nameTable' or 'resources'`,
    )
  else if (provider !== '' && !isProviderType(typeOf(provider)))
    addError(`the provider '${spec.provider}' for ${subject} is not a provider`)
  if (spec.provider !== '' && findAmbiguousNames(file.resources).has(spec.provider))
    addError(`${subject} has an ambiguous provider`)
  const specInputs = isProviderType(spec.type)
    ? (spec.inputs ?? file.providerInputs[spec.name])
    : spec.inputs
  const inputs = seal(specInputs, 'inputs')
  const outputs = seal(spec.outputs, 'outputs')
  const configuration = seal(file.providerInputs[spec.provider], 'provider inputs')
  return {
    type: spec.type,
    name: spec.logicalName,
    id: spec.id,
    parent: spec.parent === '' ? '' : (urnByName.get(spec.parent) ?? ''),
    provider: provider ?? '',
    ...resolvePackage(spec, subject, addError),
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
  subject: string,
  addError: (sentence: string) => unknown,
): Pick<ImportedResource, 'version' | 'parameterization' | 'extension'> {
  const parseFullVersion = (text: string, description: string): string => {
    const parsed = completeVersion(text)
    if (parsed === undefined) addError(`could not parse ${description} '${text}' for ${subject}`)
    return parsed ?? ''
  }
  const fullVersion = version === '' ? '' : parseFullVersion(version, 'version')
  if (extension !== undefined) return { version: fullVersion, extension }
  if (parameterization === undefined) return { version: fullVersion }
  const pluginVersion = parseFullVersion(parameterization.pluginVersion, 'parameterization version')
  return { version: fullVersion, parameterization: { ...parameterization, pluginVersion } }
}

/**
 * Returns the name of each resource in the program. If a name is already used, the type is
 * appended, and then a number if necessary.
 */
function assignProgramNames(file: ImportFile, urns: readonly Urn[]): ReadonlyMap<Urn, string> {
  const names = new Map(
    Object.entries(file.nameTable).map(([name, urn]) => [urn as Urn, name] as const),
  )
  const usedNames = new Set([...names.values()])
  const requestedNames = new Set(file.resources.map(({ name }) => name))
  for (const [index, { name, type }] of file.resources.entries()) {
    const urn = urns[index]
    if (urn === undefined) continue
    let uniqueName = name
    const typeName = type.split(':').at(-1) ?? ''
    const nameWithType = `${name}${typeName.slice(0, 1).toUpperCase()}${typeName.slice(1)}`
    for (let count = 1; usedNames.has(uniqueName); count += 1) {
      uniqueName = count === 1 ? nameWithType : `${nameWithType}${count}`
      // A name that another resource requests is not free, even if that resource comes later.
      if (requestedNames.has(uniqueName)) usedNames.add(uniqueName)
    }
    usedNames.add(uniqueName)
    names.set(urn, uniqueName)
  }
  return names
}
