import type { ResourceState } from '../../../state/resource.ts'
import { unknown, type PropertyMap, type PropertyValue } from '../../../values/value.ts'
import { findDependents } from '../../graph/dependencies.ts'
import { isProviderType, providerUrnOf, referenceOf } from '../../../names/provider-reference.ts'
import type { DiffResult } from '../../../providers/provider.ts'
import type { Urn } from '../../../names/urn.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { loadProvider } from '../providers/load-provider.ts'
import { diffProviderConfig, diffResource } from '../providers/resource-driver.ts'
import { isGone, isOperatedOn } from '../sets.ts'
import { decided, type Result } from '../stage.ts'
import { applyReplaceOnChanges, isReplacement } from './decide-change.ts'

/** A state that is replaced with another one, and the keys for which it is. */
export interface Dependent {
  readonly urn: Urn
  /** Its base index. */
  readonly at: number
  readonly keys: readonly string[]
}

/** Returns the states that name a resource in `replaceWith` or `deletedWith`. */
export function findBoundStates(
  { sets, base }: Pick<DecisionInput, 'sets' | 'base'>,
  urn: Urn,
): readonly Dependent[] {
  const { states, dependentsOf } = base.graph
  return dependentsOf(urn).flatMap(at => {
    const state = states[at]
    if (state === undefined || isGone(sets, at)) return []
    if (state.replaceWith.includes(urn)) return [{ urn: state.urn, at, keys: ['replaceWith'] }]
    return state.deletedWith === urn ? [{ urn: state.urn, at, keys: ['deletedWith'] }] : []
  })
}

/**
 * Returns the dependents, in list order, that are replaced if the properties that they take from
 * the resource are unknown.
 */
export async function findDependentReplacements(
  ctx: GeneratorContext,
  root: number,
): Promise<Result<readonly Dependent[]>> {
  const { base, sets } = ctx.input
  const { states } = base.graph
  const rootUrn = states[root]?.urn
  if (rootUrn === undefined) return decided([])
  const replaced = new Set<Urn>([rootUrn])
  const gone = new Set<Urn>([rootUrn])
  const found: Dependent[] = []
  for (const at of findDependents(
    base.graph,
    root,
    urn => isOperatedOn(sets, urn) || sets.deletes.has(urn),
  )) {
    const state = states[at]
    if (state === undefined || !state.custom || state.external) continue
    const keys = await findReplacementKeys(ctx, state, state.delete ? gone : replaced)
    if (keys.kind === 'failed') return keys
    if (keys.value === undefined) continue
    found.push({ urn: state.urn, at, keys: keys.value })
    gone.add(state.urn)
    if (!state.delete) replaced.add(state.urn)
  }
  return decided(found)
}

async function findReplacementKeys(
  ctx: GeneratorContext,
  state: ResourceState,
  replaced: ReadonlySet<Urn>,
): Promise<Result<readonly string[] | undefined>> {
  const provider = providerUrnOf(state.provider)
  if (provider !== undefined && replaced.has(provider)) return decided(['provider'])
  if (state.deletedWith !== '' && replaced.has(state.deletedWith)) return decided(['deletedWith'])
  const newInputs = withUnknowns(state, replaced)
  if (newInputs === undefined) return decided(undefined)
  const diff = await diffDependent(ctx, state, newInputs)
  if (diff.kind === 'failed') return diff
  const judged = applyReplaceOnChanges(diff.value, false, state.replaceOnChanges)
  const isReplaced = judged.changes === 'some' && isReplacement(judged)
  return decided(isReplaced ? judged.replaceKeys : undefined)
}

/** The diff of a state by its provider; a provider resource is diffed by its configured self. */
async function diffDependent(
  ctx: GeneratorContext,
  state: ResourceState,
  newInputs: PropertyMap,
): Promise<Result<DiffResult>> {
  const { urn, id, ignoreChanges } = state
  const isProvider = isProviderType(state.type)
  const used = isProvider ? { ...state, provider: referenceOf(urn, id) } : state
  const loaded = await loadProvider(ctx.ports, used, urn)
  if (loaded.kind === 'failed') return loaded
  if (isProvider)
    return decided(await diffProviderConfig(loaded.value, state, { newInputs, ignoreChanges }))
  const request = { newInputs, ignoreChanges, allowUnknowns: true }
  return decided(await diffResource(ctx, loaded.value, { old: state, ...request }))
}

/**
 * Returns the inputs, with properties of replaced resources unknown; undefined if there are none.
 */
function withUnknowns(state: ResourceState, replaced: ReadonlySet<Urn>): PropertyMap | undefined {
  const keys = [...state.propertyDependencies].filter(
    ([key, urns]) => state.inputs.has(key) && urns.some(urn => replaced.has(urn)),
  )
  if (keys.length === 0) return undefined
  const inputs = new Map<string, PropertyValue>(state.inputs)
  for (const [key] of keys) inputs.set(key, unknown)
  return inputs
}
