import fc from 'fast-check'
import type { Urn } from '../../shared/names/urn.ts'
import { type ResourceState, createResourceState } from '../../shared/state/resource.ts'

/** The drawn parts of one resource. Numbers refer to earlier resources, by remainder. */
interface Drawn {
  readonly kind: 'plain' | 'component' | 'provider'
  readonly parent: number
  readonly provider: number
  readonly dependencies: readonly number[]
  readonly properties: readonly number[]
  readonly deletedWith: number
}

/** Mostly none, so that stacks are neither chains nor completely flat. */
const seldom: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(-1) },
  { weight: 1, arbitrary: fc.nat() },
)

const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('plain' as const) },
    { weight: 1, arbitrary: fc.constantFrom('component' as const, 'provider' as const) },
  ),
  parent: seldom,
  provider: seldom,
  dependencies: fc.array(fc.nat(), { maxLength: 3 }),
  properties: fc.array(fc.nat(), { maxLength: 2 }),
  deletedWith: seldom,
})

/** The states of a stack in a valid order, up to some hundreds. */
export const stacks: fc.Arbitrary<readonly ResourceState[]> = fc
  .oneof(
    { weight: 6, arbitrary: fc.array(drawn, { minLength: 2, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.array(drawn, { minLength: 100, maxLength: 300, size: 'max' }) },
  )
  .map(all => {
    const states: ResourceState[] = []
    for (const [at, one] of all.entries()) states.push(stateOf(one, at, states))
    return states
  })

function stateOf(one: Drawn, at: number, before: readonly ResourceState[]): ResourceState {
  const type =
    one.kind === 'provider' ? 'pulumi:providers:a' : one.kind === 'component' ? 'a:b:Box' : 'a:b:C'
  const pick = (from: readonly ResourceState[], drawnAt: number): Urn | '' =>
    drawnAt < 0 ? '' : (from[drawnAt % Math.max(1, from.length)]?.urn ?? '')
  const picks = (drawnAts: readonly number[]): readonly Urn[] =>
    drawnAts.flatMap(drawnAt => pick(before, drawnAt) || [])
  const providers = before.filter(state => state.type === 'pulumi:providers:a')
  const provider = one.kind === 'plain' ? pick(providers, one.provider) : ''
  const properties = picks(one.properties)
  return createResourceState({
    urn: `urn:pulumi:dev::shop::${type}::r${at}` as Urn,
    type,
    custom: one.kind !== 'component',
    id: one.kind === 'component' ? '' : `id-${at}`,
    provider: provider === '' ? '' : `${provider}::id-${before.findIndex(s => s.urn === provider)}`,
    parent: pick(
      before.filter(state => !state.custom),
      one.parent,
    ),
    dependencies: [...picks(one.dependencies), ...properties],
    propertyDependencies: properties.length > 0 ? new Map([['p', properties]]) : new Map(),
    deletedWith: pick(
      before.filter(state => state.custom),
      one.deletedWith,
    ),
  })
}

/**
 * Returns by position the positions that must be deleted before. It is derived from the rules, not
 * from the plan: every state that names another as dependency, parent, provider or deletedWith.
 * Children of a component count as well.
 */
export function expectedDependentsOf(
  states: readonly ResourceState[],
): ReadonlyMap<number, Set<number>> {
  const places = new Map(states.map((state, at) => [state.urn, at]))
  const dependents = new Map<number, Set<number>>(states.map((_, at) => [at, new Set()]))
  const isBelow = (state: ResourceState | undefined, urn: Urn): boolean => {
    for (let up = state; up !== undefined && up.parent !== ''; ) {
      if (up.parent === urn) return true
      up = states[places.get(up.parent) ?? -1]
    }
    return false
  }
  states.forEach((state, at) => {
    const provider = state.provider.slice(0, state.provider.lastIndexOf('::'))
    const named = [
      ...state.dependencies,
      ...[...state.propertyDependencies.values()].flat(),
      state.deletedWith,
      provider,
    ]
    for (const name of named) {
      const to = places.get(name as Urn)
      if (to === undefined) continue
      dependents.get(to)?.add(at)
      const below = states[to]
      if (below?.custom !== false) continue
      for (let child = to + 1; child < at; child++)
        if (isBelow(states[child], below.urn)) dependents.get(child)?.add(at)
    }
    if (state.parent !== '') dependents.get(places.get(state.parent) ?? -1)?.add(at)
  })
  return dependents
}
