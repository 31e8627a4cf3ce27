import { parseReference, providerUrnOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { listDependencies, type Dependency } from '../../graph/closures.ts'
import type { DecisionInput } from '../context.ts'
import type { CurrentState } from '../sets.ts'
import { decided, failDeployment, type Result } from '../stage.ts'

type DependencyInput = Pick<DecisionInput, 'sets' | 'base'>

/**
 * Returns the old states that a state depends on and that have no step yet. Each comes after its
 * own dependencies. The delta gives them a step. `requiredBy`: the untargeted registration that
 * fails when a dependency has no old state; without it such a dependency is left out.
 */
export function findOldDependencies(
  input: DependencyInput,
  requiredBy: Urn | undefined,
  root: ResourceState,
): Result<readonly number[]> {
  const found: number[] = []
  const pulled = new Set<Urn>()
  const list = (state: ResourceState): Generator<number | Dependency, void> =>
    listOldDependencies(input, pulled, state)
  const open = [{ index: -1, dependencies: list(root) }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.dependencies.next()
    if (next.done === true) {
      if (top.index >= 0) found.push(top.index)
      open.pop()
    } else if (typeof next.value === 'number') {
      const { state } = input.base.trackedAt(next.value)
      pulled.add(state.urn)
      open.push({ index: next.value, dependencies: list(state) })
    } else if (requiredBy !== undefined)
      return failDeployment(describeMissing(next.value, requiredBy), requiredBy)
  }
  const urns = [...pulled]
  return decided(found, { pulledForward: urns, operated: urns })
}

/** The direct dependencies without a step: their base indices, or names without an old state. */
function* listOldDependencies(
  input: DependencyInput,
  pulled: ReadonlySet<Urn>,
  state: ResourceState,
): Generator<number | Dependency, void> {
  const isPending = (urn: Urn): boolean => !pulled.has(urn) && !hasStep(input, urn)
  const provider = findOldProvider(input, state.provider)
  const providerUrn = providerUrnOf(state.provider)
  if (provider !== undefined && providerUrn !== undefined && isPending(providerUrn)) yield provider
  for (const dependency of listDependencies(state))
    if (isPending(dependency.urn)) yield input.base.liveIndexOf(dependency.urn) ?? dependency
}

function describeMissing({ kind, urn, key }: Dependency, requiredBy: Urn): string {
  const labels = {
    parent: `parent ${urn} of untargeted resource ${requiredBy}`,
    dependency: `dependency ${urn} of untargeted resource ${requiredBy}`,
    property: `property dependency ${urn} of untargeted resource ${requiredBy}'s property ${key ?? ''}`,
    'deleted with': `deleted with dependency ${urn} of untargeted resource ${requiredBy}`,
    'replace with': `replace with dependency ${urn} of untargeted resource ${requiredBy}`,
  }
  return `${labels[kind]} has no old state`
}

/** Returns the base index of a provider that a reference names and that the program lacks. */
export function findOldProvider(input: DependencyInput, reference: string): number | undefined {
  const urn = providerUrnOf(reference)
  if (urn === undefined || hasStep(input, urn)) return undefined
  const index = input.base.liveIndexOf(urn)
  const isReferenced =
    index !== undefined && input.base.trackedAt(index).state.id === parseReference(reference).id
  return isReferenced ? index : undefined
}

/**
 * Reports whether a URN was decided or is being decided, under its old or new name. A resource that
 * a refresh by the program left unread is registered but has no step.
 */
export function hasStep({ sets }: Pick<DecisionInput, 'sets'>, urn: Urn): boolean {
  if (isUnread(sets.current.get(urn))) return sets.pulledForward.has(urn)
  return (
    sets.registered.has(urn) ||
    sets.pulledForward.has(urn) ||
    sets.deletes.has(urn) ||
    sets.aliased.has(urn)
  )
}

/** Reports whether a refresh by the program answered a registration with its unread old state. */
export function isUnread(current: CurrentState | undefined): boolean {
  return current?.skipReason === 'as read' && current.refreshedIndex === undefined
}
