import fc from 'fast-check'
import type { Urn } from '../../shared/names/urn.ts'
import { type ResourceState, createResourceState } from '../../shared/state/resource.ts'

/**
 * The drawn parts of one resource. A number refers to an earlier resource: its remainder is a
 * position among the candidates.
 */
interface StateDraw {
  readonly kind: 'plain' | 'component' | 'provider'
  readonly parent: number
  readonly provider: number
  readonly dependencies: readonly number[]
  readonly properties: readonly number[]
  readonly deletedWith: number
}

/** A drawn index, mostly -1 for none, so that stacks are neither chains nor completely flat. */
const rareIndex: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(-1) },
  { weight: 1, arbitrary: fc.nat() },
)

const stateDraw: fc.Arbitrary<StateDraw> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('plain' as const) },
    { weight: 1, arbitrary: fc.constantFrom('component' as const, 'provider' as const) },
  ),
  parent: rareIndex,
  provider: rareIndex,
  dependencies: fc.array(fc.nat(), { maxLength: 3 }),
  properties: fc.array(fc.nat(), { maxLength: 2 }),
  deletedWith: rareIndex,
})

/** The states of a stack in a valid order, up to some hundreds. */
export const stacks: fc.Arbitrary<readonly ResourceState[]> = fc
  .oneof(
    { weight: 6, arbitrary: fc.array(stateDraw, { minLength: 2, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.array(stateDraw, { minLength: 100, maxLength: 300, size: 'max' }) },
  )
  .map(draws => {
    const states: ResourceState[] = []
    for (const [index, draw] of draws.entries()) states.push(stateOf(draw, index, states))
    return states
  })

function stateOf(
  draw: StateDraw,
  index: number,
  earlierStates: readonly ResourceState[],
): ResourceState {
  const type =
    draw.kind === 'provider'
      ? 'pulumi:providers:a'
      : draw.kind === 'component'
        ? 'a:b:Box'
        : 'a:b:C'
  const pick = (candidates: readonly ResourceState[], drawnIndex: number): Urn | '' =>
    drawnIndex < 0 ? '' : (candidates[drawnIndex % Math.max(1, candidates.length)]?.urn ?? '')
  const pickAll = (drawnIndices: readonly number[]): readonly Urn[] =>
    drawnIndices.flatMap(drawnIndex => pick(earlierStates, drawnIndex) || [])
  const providers = earlierStates.filter(state => state.type === 'pulumi:providers:a')
  const provider = draw.kind === 'plain' ? pick(providers, draw.provider) : ''
  const properties = pickAll(draw.properties)
  return createResourceState({
    urn: `urn:pulumi:dev::shop::${type}::r${index}` as Urn,
    type,
    custom: draw.kind !== 'component',
    id: draw.kind === 'component' ? '' : `id-${index}`,
    provider:
      provider === '' ? '' : `${provider}::id-${earlierStates.findIndex(s => s.urn === provider)}`,
    parent: pick(
      earlierStates.filter(state => !state.custom),
      draw.parent,
    ),
    dependencies: [...pickAll(draw.dependencies), ...properties],
    propertyDependencies: properties.length > 0 ? new Map([['p', properties]]) : new Map(),
    deletedWith: pick(
      earlierStates.filter(state => state.custom),
      draw.deletedWith,
    ),
  })
}

/**
 * Returns for the index of each state the indices of the states that must be deleted before it. The
 * result follows from the next two rules alone, without the code under test. A state is deleted
 * before each state that it names as dependency, parent, provider or deletedWith. If a state
 * depends on a component, it is also deleted before the earlier descendants of the component.
 */
export function expectedDependentsOf(
  states: readonly ResourceState[],
): ReadonlyMap<number, Set<number>> {
  const indexByUrn = new Map(states.map((state, index) => [state.urn, index]))
  const dependents = new Map<number, Set<number>>(states.map((_, index) => [index, new Set()]))
  const isDescendant = (state: ResourceState | undefined, urn: Urn): boolean => {
    for (let ancestor = state; ancestor !== undefined && ancestor.parent !== ''; ) {
      if (ancestor.parent === urn) return true
      ancestor = states[indexByUrn.get(ancestor.parent) ?? -1]
    }
    return false
  }
  states.forEach((state, index) => {
    const provider = state.provider.slice(0, state.provider.lastIndexOf('::'))
    const referencedUrns = [
      ...state.dependencies,
      ...[...state.propertyDependencies.values()].flat(),
      state.deletedWith,
      provider,
    ]
    for (const referencedUrn of referencedUrns) {
      const referencedIndex = indexByUrn.get(referencedUrn as Urn)
      if (referencedIndex === undefined) continue
      dependents.get(referencedIndex)?.add(index)
      const referencedState = states[referencedIndex]
      if (referencedState?.custom !== false) continue
      for (let child = referencedIndex + 1; child < index; child++)
        if (isDescendant(states[child], referencedState.urn)) dependents.get(child)?.add(index)
    }
    if (state.parent !== '') dependents.get(indexByUrn.get(state.parent) ?? -1)?.add(index)
  })
  return dependents
}
