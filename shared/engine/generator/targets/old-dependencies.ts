import { parseProviderReference, providerUrnOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies, type Dependency } from '../../graph/closures.ts'
import type { DecisionInput } from '../context.ts'
import type { CurrentState } from '../sets.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'

type DependencyInput = Pick<DecisionInput, 'sets' | 'base'>

/**
 * Returns the base indices of the old states that a state depends on and that have no step yet.
 * Each state comes after its own dependencies. The delta marks the states as kept. `requiredBy`:
 * the untargeted registration that fails when a dependency has no old state. Without it, such
 * dependencies are omitted.
 */
export function findOldDependencies(
  input: DependencyInput,
  requiredBy: Urn | undefined,
  root: ResourceState,
): Result<readonly number[]> {
  const baseIndices: number[] = []
  const foundUrns = new Set<Urn>()
  const listFor = (state: ResourceState): Generator<number | Dependency, void> =>
    listOldDependencies(input, foundUrns, state)
  // The root has the index -1, because it is not one of the returned states.
  const pathStack = [{ baseIndex: -1, dependencies: listFor(root) }]
  for (let top = pathStack.at(-1); top !== undefined; top = pathStack.at(-1)) {
    const next = top.dependencies.next()
    if (next.done === true) {
      if (top.baseIndex >= 0) baseIndices.push(top.baseIndex)
      pathStack.pop()
    } else if (typeof next.value === 'number') {
      const { state } = input.base.trackedStateAt(next.value)
      foundUrns.add(state.urn)
      pathStack.push({ baseIndex: next.value, dependencies: listFor(state) })
    } else if (requiredBy !== undefined)
      return failDeployment(describeMissingDependency(next.value, requiredBy), requiredBy)
  }
  const urns = [...foundUrns]
  return toDecided(baseIndices, { keptOldUrns: urns, handledUrns: urns })
}

/**
 * Yields each direct dependency without a step: its base index, or the dependency itself if it has
 * no old state.
 */
function* listOldDependencies(
  input: DependencyInput,
  foundUrns: ReadonlySet<Urn>,
  state: ResourceState,
): Generator<number | Dependency, void> {
  const isUndecided = (urn: Urn): boolean => !foundUrns.has(urn) && !isAlreadyDecided(input, urn)
  const provider = findOldProvider(input, state.provider)
  const providerUrn = providerUrnOf(state.provider)
  if (provider !== undefined && providerUrn !== undefined && isUndecided(providerUrn))
    yield provider
  for (const dependency of listDependencies(state))
    if (isUndecided(dependency.urn)) yield input.base.liveIndexOf(dependency.urn) ?? dependency
}

function describeMissingDependency({ kind, urn, key }: Dependency, requiredBy: Urn): string {
  const descriptions = {
    parent: `parent ${urn} of untargeted resource ${requiredBy}`,
    dependency: `dependency ${urn} of untargeted resource ${requiredBy}`,
    property: `property dependency ${urn} of untargeted resource ${requiredBy}'s property ${key ?? ''}`,
    'deleted with': `deleted with dependency ${urn} of untargeted resource ${requiredBy}`,
    'replace with': `replace with dependency ${urn} of untargeted resource ${requiredBy}`,
  }
  return `${descriptions[kind]} has no old state`
}

/**
 * Returns the base index of the provider that a reference names. Undefined if the provider is
 * already decided, or if the base has no provider with this URN and id.
 */
export function findOldProvider(input: DependencyInput, reference: string): number | undefined {
  const urn = providerUrnOf(reference)
  if (urn === undefined || isAlreadyDecided(input, urn)) return undefined
  const baseIndex = input.base.liveIndexOf(urn)
  const isReferenced =
    baseIndex !== undefined &&
    input.base.trackedStateAt(baseIndex).state.id === parseProviderReference(reference).id
  return isReferenced ? baseIndex : undefined
}

/**
 * Reports whether a decision about a resource was made or has begun. `urn`: the old or the new URN
 * of the resource. A registered resource that a refresh did not read counts only if it is in
 * `keptOldUrns`.
 */
export function isAlreadyDecided({ sets }: Pick<DecisionInput, 'sets'>, urn: Urn): boolean {
  if (isUnread(sets.currentStates.get(urn))) return sets.keptOldUrns.has(urn)
  return (
    sets.registeredUrns.has(urn) ||
    sets.keptOldUrns.has(urn) ||
    sets.deletedUrns.has(urn) ||
    sets.aliasingUrns.has(urn)
  )
}

/** Reports whether a refresh answered a registration with an old state that it did not read. */
export function isUnread(current: CurrentState | undefined): boolean {
  return current?.skipReason === 'as read' && current.refreshedIndex === undefined
}
