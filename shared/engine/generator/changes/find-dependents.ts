import type { ResourceState } from '../../../state/resource.ts'
import { unknown, type PropertyMap, type PropertyValue } from '../../../values/value.ts'
import { findDependents } from '../../graph/dependencies.ts'
import {
  isProviderType,
  providerUrnOf,
  providerReferenceOf,
} from '../../../names/provider-reference.ts'
import type { DiffResult } from '../../../providers/provider.ts'
import type { Urn } from '../../../names/urn.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { loadProvider } from '../providers/load-provider.ts'
import { diffProviderConfig, diffResource } from '../providers/resource-driver.ts'
import { isResourceGone, isUrnHandled } from '../sets.ts'
import { toDecided, type Result } from '../stage.ts'
import { applyReplaceOnChanges, isReplacement } from './decide-change.ts'

/**
 * A state that is replaced together with another one, and the property keys that cause the
 * replacement.
 */
export interface Dependent {
  readonly urn: Urn
  /** The position of the state in the base. */
  readonly baseIndex: number
  readonly keys: readonly string[]
}

/** Returns the states that name a resource in their option `replaceWith` or `deletedWith`. */
export function findDependentsByOption(
  { sets, base }: Pick<DecisionInput, 'sets' | 'base'>,
  urn: Urn,
): readonly Dependent[] {
  const { states, dependentsOf } = base.graph
  return dependentsOf(urn).flatMap(baseIndex => {
    const state = states[baseIndex]
    if (state === undefined || isResourceGone(sets, baseIndex)) return []
    if (state.replaceWith.includes(urn))
      return [{ urn: state.urn, baseIndex, keys: ['replaceWith'] }]
    return state.deletedWith === urn ? [{ urn: state.urn, baseIndex, keys: ['deletedWith'] }] : []
  })
}

/**
 * Returns the dependents that must be replaced with a resource, in the order of the base. A
 * dependent is replaced without a diff if its provider or its `deletedWith` is replaced. The diff
 * of any other dependent has unknown values for the properties that depend on replaced resources.
 */
export async function findDependentReplacements(
  ctx: GeneratorContext,
  rootIndex: number,
): Promise<Result<readonly Dependent[]>> {
  const { base, sets } = ctx.input
  const { states } = base.graph
  const rootUrn = states[rootIndex]?.urn
  if (rootUrn === undefined) return toDecided([])
  /** URNs whose live state is replaced. The references of live states are looked up here. */
  const replacedUrns = new Set<Urn>([rootUrn])
  /** URNs with a state that is deleted. The references of old copies are looked up here. */
  const deletedUrns = new Set<Urn>([rootUrn])
  const dependents: Dependent[] = []
  for (const baseIndex of findDependents(
    base.graph,
    rootIndex,
    urn => isUrnHandled(sets, urn) || sets.deletedUrns.has(urn),
  )) {
    const state = states[baseIndex]
    if (state === undefined || !state.custom || state.external) continue
    const lookedUpUrns = state.delete ? deletedUrns : replacedUrns
    const keysResult = await findReplacementKeys(ctx, state, lookedUpUrns)
    if (keysResult.kind === 'failed') return keysResult
    if (keysResult.value === undefined) continue
    dependents.push({ urn: state.urn, baseIndex, keys: keysResult.value })
    deletedUrns.add(state.urn)
    if (!state.delete) replacedUrns.add(state.urn)
  }
  return toDecided(dependents)
}

/**
 * Returns the keys that cause the replacement of a state when `replacedUrns` are replaced. Returns
 * undefined if the state is not replaced.
 */
async function findReplacementKeys(
  ctx: GeneratorContext,
  state: ResourceState,
  replacedUrns: ReadonlySet<Urn>,
): Promise<Result<readonly string[] | undefined>> {
  const provider = providerUrnOf(state.provider)
  if (provider !== undefined && replacedUrns.has(provider)) return toDecided(['provider'])
  if (state.deletedWith !== '' && replacedUrns.has(state.deletedWith))
    return toDecided(['deletedWith'])
  const newInputs = withUnknowns(state, replacedUrns)
  if (newInputs === undefined) return toDecided(undefined)
  const diffResult = await diffDependent(ctx, state, newInputs)
  if (diffResult.kind === 'failed') return diffResult
  const effectiveDiff = applyReplaceOnChanges(diffResult.value, false, state.replaceOnChanges)
  const isReplaced = effectiveDiff.changes === 'some' && isReplacement(effectiveDiff)
  return toDecided(isReplaced ? effectiveDiff.replaceKeys : undefined)
}

/**
 * Requests the diff of a state from its provider. A provider resource is diffed by its own
 * configured instance.
 */
async function diffDependent(
  ctx: GeneratorContext,
  state: ResourceState,
  newInputs: PropertyMap,
): Promise<Result<DiffResult>> {
  const { urn, id, ignoreChanges } = state
  const isProvider = isProviderType(state.type)
  const stateWithProvider = isProvider
    ? { ...state, provider: providerReferenceOf(urn, id) }
    : state
  const loadResult = await loadProvider(ctx.ports, stateWithProvider, urn)
  if (loadResult.kind === 'failed') return loadResult
  if (isProvider)
    return toDecided(
      await diffProviderConfig(loadResult.value, state, { newInputs, ignoreChanges }),
    )
  const request = { newInputs, ignoreChanges, allowUnknowns: true }
  return toDecided(await diffResource(ctx, loadResult.value, { old: state, ...request }))
}

/**
 * Returns the inputs, with unknown values for properties that depend on replaced resources.
 * Undefined if no property depends on them.
 */
function withUnknowns(
  state: ResourceState,
  replacedUrns: ReadonlySet<Urn>,
): PropertyMap | undefined {
  const keys = [...state.propertyDependencies].filter(
    ([key, urns]) => state.inputs.has(key) && urns.some(urn => replacedUrns.has(urn)),
  )
  if (keys.length === 0) return undefined
  const inputs = new Map<string, PropertyValue>(state.inputs)
  for (const [key] of keys) inputs.set(key, unknown)
  return inputs
}
