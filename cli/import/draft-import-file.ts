import type {
  EngineEventPayload,
  StepState,
  ReportedPlugin,
} from '../../shared/engine/events/event.ts'
import {
  isDefaultProviderName,
  isProviderType,
  providerUrnOf,
  unknownStringMarker,
} from '../../shared/names/provider-reference.ts'
import { nameOf, stackType, typeOf, type Urn } from '../../shared/names/urn.ts'
import type { Json } from '../../shared/values/json.ts'

/** One resource of an import file. Its fields are in print order. */
interface DraftedResource {
  readonly type: string
  readonly name: string
  readonly id?: string
  readonly parent?: string
  readonly provider?: string
  readonly version?: string
  readonly pluginDownloadUrl?: string
  readonly component?: true
  readonly remote?: true
  readonly inputs?: Readonly<Record<string, Json>>
  readonly logicalName?: string
}

/** An import file for the creates of a preview. */
export interface DraftedImport {
  readonly nameTable?: Readonly<Record<string, string>>
  readonly resources?: readonly DraftedResource[]
}

/** Properties of a provider that the user must add: secrets and unknown values. */
export interface OmittedProperties {
  readonly urn: Urn
  readonly properties: readonly string[]
}

/** The text in place of the id of a resource. The user replaces it by the real id. */
const idPlaceholder = '<PLACEHOLDER>'
/**
 * The texts for a secret and for a value that is unknown before the deployment, as events show
 * them.
 */
const hiddenTexts: ReadonlySet<unknown> = new Set(['[secret]', unknownStringMarker])

/**
 * Drafts the import file for the creates in the events of a preview. Each resource gets a unique
 * name. Existing parents and providers are in the name table. Default providers are omitted,
 * because the import creates them. Secret and unknown properties of providers are omitted too.
 * `plugins`: the plugin of each provider, by the URN of the provider. Source:
 * `buildImportFile` in pkg/cmd/pulumi/operations/preview.go of Pulumi 3.274.1.
 */
export function draftImportFile({
  events,
  plugins,
}: {
  readonly events: readonly EngineEventPayload[]
  readonly plugins: ReadonlyMap<Urn, ReportedPlugin>
}): {
  readonly file: DraftedImport
  readonly omittedProperties: readonly OmittedProperties[]
} {
  const steps = events.flatMap(event =>
    'resourcePreEvent' in event ? [event.resourcePreEvent.metadata] : [],
  )
  const createdStates = steps.flatMap(({ op, new: next }) =>
    op === 'create' && next !== null && next.type !== stackType ? [next] : [],
  )
  const draftedStates = createdStates.filter(({ urn }) => !isDefaultProvider(urn))
  const createdUrns = new Set(createdStates.map(({ urn }) => urn))
  const referencedUrns = draftedStates
    .flatMap(state => [parentOf(state), providerOf(state)])
    .filter(urn => urn !== undefined)
  // The events need not contain a step of each parent and provider.
  const names = assignUniqueNames([...steps.map(({ urn }) => urn as Urn), ...referencedUrns])
  const chooseName = (urn: Urn): string => names.get(urn) ?? nameOf(urn)
  const context = { chooseName, plugins }
  const nameTable = referencedUrns
    .filter(urn => !createdUrns.has(urn))
    .map(urn => [chooseName(urn), urn] as const)
  return {
    file: {
      ...(nameTable.length === 0 ? {} : { nameTable: Object.fromEntries(nameTable) }),
      ...(draftedStates.length === 0
        ? {}
        : { resources: draftedStates.map(state => draftResource(state, context)) }),
    },
    omittedProperties: draftedStates.flatMap(findOmittedProperties),
  }
}

interface DraftContext {
  /** Returns the name of a resource in the file. */
  readonly chooseName: (urn: Urn) => string
  readonly plugins: ReadonlyMap<Urn, ReportedPlugin>
}

function draftResource(state: StepState, { chooseName, plugins }: DraftContext): DraftedResource {
  const urn = state.urn as Urn
  const [parent, provider] = [parentOf(state), providerOf(state)]
  const name = chooseName(urn)
  const isProvider = isProviderType(state.type)
  const isComponent = state.custom !== true
  const providerUrn = state.provider === '' ? undefined : providerUrnOf(state.provider)
  const plugin = providerUrn === undefined ? undefined : plugins.get(providerUrn)
  const inputs = isProvider
    ? Object.entries(state.inputs).filter(([, value]) => isVisible(value))
    : []
  return {
    type: state.type,
    name,
    ...(isComponent || isProvider ? {} : { id: idPlaceholder }),
    ...(parent === undefined ? {} : { parent: chooseName(parent) }),
    ...(provider === undefined ? {} : { provider: chooseName(provider) }),
    ...createTextField('version', plugin?.version),
    ...createTextField('pluginDownloadUrl', plugin?.downloadUrl),
    ...(isComponent ? { component: true } : {}),
    ...(isComponent && providerUrn !== undefined ? { remote: true } : {}),
    ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) as Record<string, Json> }),
    ...(name === nameOf(urn) ? {} : { logicalName: nameOf(urn) }),
  }
}

function createTextField<Key extends string>(
  key: Key,
  value = '',
): { readonly [K in Key]?: string } {
  return value !== '' ? ({ [key]: value } as { readonly [K in Key]?: string }) : {}
}

/** Returns the parent in an import file, or undefined if it is the stack itself. */
function parentOf({ parent }: StepState): Urn | undefined {
  return parent === '' || typeOf(parent as Urn) === stackType ? undefined : (parent as Urn)
}

/**
 * Returns the provider in an import file, or undefined for a default provider, which the import
 * creates.
 */
function providerOf({ provider }: StepState): Urn | undefined {
  const urn = provider === '' ? undefined : providerUrnOf(provider)
  return urn === undefined || isDefaultProvider(urn) ? undefined : urn
}

function isDefaultProvider(urn: string): boolean {
  return isProviderType(typeOf(urn as Urn)) && isDefaultProviderName(nameOf(urn as Urn))
}

function findOmittedProperties({ urn, type, inputs }: StepState): readonly OmittedProperties[] {
  if (!isProviderType(type)) return []
  const properties = Object.keys(inputs).filter(key => !isVisible(inputs[key]))
  return properties.length === 0 ? [] : [{ urn: urn as Urn, properties }]
}

/** Reports whether a value contains neither a secret nor an unknown value. */
function isVisible(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isVisible)
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isVisible)
  return !hiddenTexts.has(value)
}

/**
 * Assigns a unique name to each resource. A repeated name gets the type as a suffix, and then a
 * number if necessary.
 */
function assignUniqueNames(urns: readonly Urn[]): ReadonlyMap<string, string> {
  const uniqueUrns = [...new Set(urns)]
  // A generated name must not equal the name of any resource, even of a later one.
  const resourceNames = new Set(uniqueUrns.map(nameOf))
  const assignedNames = new Set<string>()
  return new Map(
    uniqueUrns.map(urn => {
      const name = nameOf(urn)
      const uniqueName = assignedNames.has(name)
        ? findFreeName(name + typeSuffixOf(urn), resourceNames, assignedNames)
        : name
      assignedNames.add(uniqueName)
      return [urn, uniqueName]
    }),
  )
}

function findFreeName(
  baseName: string,
  resourceNames: ReadonlySet<string>,
  assignedNames: ReadonlySet<string>,
): string {
  const isFree = (name: string): boolean => !resourceNames.has(name) && !assignedNames.has(name)
  let name = baseName
  for (let count = 2; !isFree(name); count += 1) name = `${baseName}${count}`
  return name
}

function typeSuffixOf(urn: Urn): string {
  const name = typeOf(urn).split(':').at(-1)?.split('/').at(-1) ?? ''
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
