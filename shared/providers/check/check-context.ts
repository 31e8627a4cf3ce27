import type { Urn } from '../../names/urn.ts'
import { urnOf } from '../../names/urn.ts'
import { diffInputs } from '../../values/diff.ts'
import type { PropertyMap } from '../../values/value.ts'
import type {
  CheckResult,
  DiffResult,
  Provider,
  ReadResult,
  ResourceIdentity,
} from '../provider.ts'
import type { CheckedSchema, CheckedType } from './checked-schema.ts'
import { PreconditionError } from './contract.ts'
import type { OpenedProvider } from './opened-provider.ts'

/** An object that a check created, with its state. */
export interface LiveObject {
  readonly id: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
}

/** A change of one property, and the provider's diff for it. */
export interface ChangeDiff {
  readonly property: string
  /** The inputs of the created object with this change only, as Check returned them. */
  readonly inputs: PropertyMap
  readonly diff: DiffResult
}

/**
 * The results of passed contracts that later contracts need. A contract is one rule of the provider
 * protocol that the check tests.
 */
export interface CheckFacts {
  readonly checkedInputs?: PropertyMap
  /** The outputs that the preview of the creation returned. */
  readonly previewOutputs?: PropertyMap
  readonly created?: LiveObject
  /** The diff of the new object with its own configuration. It has no change. */
  readonly emptyDiff?: DiffResult
  readonly readResult?: ReadResult
  readonly diffs?: readonly ChangeDiff[]
  readonly updated?: LiveObject
  /** The paths at which an update gave another value than its preview promised. */
  readonly brokenPromises?: readonly string[]
  readonly deleted?: LiveObject
}

/** For each fact, the contract whose success provides it. */
const contractOfFact: Readonly<Record<keyof CheckFacts, string>> = {
  checkedInputs: 'check-accepts',
  previewOutputs: 'preview-create',
  created: 'create',
  emptyDiff: 'settled-after-create',
  readResult: 'read',
  diffs: 'diff-finds-change',
  updated: 'update',
  brokenPromises: 'update',
  deleted: 'delete',
}

/** The context of a contract of the whole provider. */
export interface ProviderContext {
  readonly getOpenedProvider: () => OpenedProvider
  /** Returns the opened provider. The time limit of the check applies to its calls. */
  readonly getProvider: () => Provider
  readonly providerInputs: PropertyMap
  /** The first schema that the provider returned. */
  readonly getSchema: () => CheckedSchema | undefined
  readonly setSchema: (schema: CheckedSchema) => void
}

/** The context of a contract of a resource type. */
export interface TypeContext extends ProviderContext {
  readonly type: CheckedType
  /** The configuration of the object. Undefined: the user names none, and none can be generated. */
  readonly inputs: PropertyMap | undefined
  /** Whether `inputs` was generated from the schema, and may be refused for its values. */
  readonly isGenerated: boolean
  /** Further configurations, to which the object is updated. */
  readonly furtherInputs: readonly PropertyMap[]
  readonly identity: ResourceIdentity
  readonly seed: Uint8Array
  /** Returns a fact. Throws PreconditionError when its contract did not succeed. */
  readonly requireFact: <K extends keyof CheckFacts>(name: K) => NonNullable<CheckFacts[K]>
  readonly findFact: <K extends keyof CheckFacts>(name: K) => CheckFacts[K]
  readonly provideFacts: (facts: CheckFacts) => void
  /** Registers an object for the clean-up, or replaces its state. */
  readonly track: (object: LiveObject) => void
  readonly untrack: (id: string) => void
  readonly listTracked: () => readonly LiveObject[]
  /**
   * Lists the inputs and outputs of all objects that were tracked so far. Their secrets must not
   * get into a report.
   */
  readonly listSecretSources: () => readonly PropertyMap[]
}

/** The stack and the project in the URNs of all checked resources. */
const checkStack = { stack: 'check', project: 'check' }

/** The name of all checked resources. */
export const checkedResourceName = 'check'

/** Returns the identity of the checked resource of a type. */
export function identityOfType(token: string): ResourceIdentity {
  const urn: Urn = urnOf({ ...checkStack, qualifiedType: token, name: checkedResourceName })
  return { urn, name: checkedResourceName, type: token }
}

/** Creates the store of the facts and objects of one type. */
export function createFactStore(): Pick<
  TypeContext,
  | 'requireFact'
  | 'findFact'
  | 'provideFacts'
  | 'track'
  | 'untrack'
  | 'listTracked'
  | 'listSecretSources'
> {
  let facts: CheckFacts = {}
  const objects = new Map<string, LiveObject>()
  const secretSources: PropertyMap[] = []
  return {
    requireFact<K extends keyof CheckFacts>(name: K): NonNullable<CheckFacts[K]> {
      const fact = facts[name]
      if (fact === undefined || fact === null) throw new PreconditionError(contractOfFact[name])
      return fact
    },
    findFact: name => facts[name],
    provideFacts(added) {
      facts = { ...facts, ...added }
    },
    track(object) {
      objects.set(object.id, object)
      secretSources.push(object.inputs, object.outputs)
    },
    untrack: id => void objects.delete(id),
    listTracked: () => [...objects.values()],
    listSecretSources: () => secretSources,
  }
}

/** Returns the current object: after its updates, or after its creation. */
export function requireCurrentObject(context: TypeContext): LiveObject {
  return context.findFact('updated') ?? context.requireFact('created')
}

/** Calls Check with inputs. */
export function checkTypeInputs(
  context: TypeContext,
  newInputs: PropertyMap,
  oldInputs?: PropertyMap,
): Promise<CheckResult> {
  return context.getProvider().check({
    ...context.identity,
    oldInputs,
    newInputs,
    allowUnknowns: true,
    randomSeed: context.seed,
  })
}

/** Calls Create as a preview, and returns its result. */
export function previewCreate(
  context: TypeContext,
  inputs: PropertyMap,
): ReturnType<Provider['create']> {
  return context
    .getProvider()
    .create({ ...context.identity, inputs, timeoutSeconds: 0, preview: true })
}

/**
 * Calls Diff for an object and its new inputs. When the provider does not know the changes,
 * compares the old and new inputs, as the engine does.
 */
export async function diffLiveObject(
  context: TypeContext,
  object: LiveObject,
  newInputs: PropertyMap,
): Promise<DiffResult> {
  const diff = await context.getProvider().diff({
    ...context.identity,
    id: object.id,
    oldInputs: object.inputs,
    oldOutputs: object.outputs,
    newInputs,
    ignoreChanges: [],
    allowUnknowns: true,
  })
  if (diff.changes !== 'unknown') return diff
  const difference = diffInputs(object.inputs, newInputs)
  return difference === undefined
    ? { ...diff, changes: 'none' }
    : { ...diff, ...difference, changes: 'some' }
}

/** Calls Read of an object. */
export function readLiveObject(context: TypeContext, object: LiveObject): Promise<ReadResult> {
  return context.getProvider().read({ ...context.identity, ...object, timeoutSeconds: 0 })
}

/** Calls Delete of an object. */
export function deleteLiveObject(context: TypeContext, object: LiveObject): Promise<void> {
  return context.getProvider().delete({ ...context.identity, ...object, timeoutSeconds: 0 })
}

/** Describes the change that a diff finds. Returns undefined if there is no change. */
export function describeDiff(diff: DiffResult): string | undefined {
  if (diff.changes === 'none') return undefined
  const keys = diff.detailedDiff === null ? diff.changedKeys : [...diff.detailedDiff.keys()]
  const replacement =
    diff.replaceKeys.length === 0 ? '' : `, a replacement because of ${diff.replaceKeys.join(', ')}`
  return `a change of ${keys.length === 0 ? 'unnamed properties' : keys.join(', ')}${replacement}`
}
