import { expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import type { Targeting } from '../../../records/targeting.ts'
import { createResourceState, type ResourceState } from '../../../state/resource.ts'
import { createStateGraph } from '../../graph/dependencies.ts'
import { selectRefreshedStates } from '../refresh/plan-refresh.ts'
import {
  createScopeDelta,
  isReplacedWithoutDiff,
  isTargetedRegistration,
  scopeOf,
} from './scope.ts'
import { createSets, reduceSets } from '../reduce-sets.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const stateOf = (name: string, fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urnOf(name), type: 'a:b:C', custom: true, ...fields })
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p' as Urn
const stackUrn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev' as Urn
const createStateOfType = (stateUrn: Urn, type: string): ResourceState =>
  createResourceState({ urn: stateUrn, type, custom: type !== 'pulumi:pulumi:Stack', id: 'i' })

/** The states, in the order of their registration. */
const states = [
  createStateOfType(stackUrn, 'pulumi:pulumi:Stack'),
  createStateOfType(providerUrn, 'pulumi:providers:a'),
  stateOf('a', { parent: stackUrn, provider: `${providerUrn}::i` }),
  stateOf('b', { parent: stackUrn, provider: `${providerUrn}::i`, dependencies: [urnOf('a')] }),
  stateOf('c', { parent: urnOf('b'), protect: true }),
  stateOf('d', { parent: stackUrn, deletedWith: urnOf('c') }),
]
const noTargeting: Targeting = {
  targets: [],
  excludes: [],
  replaces: [],
  targetDependents: false,
  excludeDependents: false,
  excludeProtected: false,
}
const namesOf = (resources: readonly ResourceState[]): string =>
  resources.map(({ urn }) => urn.slice(urn.lastIndexOf('::') + 2)).join(' ')

test.each<[Partial<Targeting>, string, string]>([
  [{}, 'shop-dev p a b c d', 'shop-dev p a b c d'],
  [{ targets: [urnOf('b')] }, 'shop-dev p b', 'b'],
  [{ targets: [urnOf('b')], targetDependents: true }, 'shop-dev p b c d', 'b c d'],
  // The scope always contains providers. Resources of an untargeted provider are no targets.
  [{ targets: [urnOf('d')], targetDependents: true }, 'shop-dev p d', 'd'],
  // The resources of a targeted provider are targets too, except in a refresh.
  [{ targets: [providerUrn], targetDependents: true }, 'shop-dev p a b c d', 'p'],
  [{ targets: [stackUrn], targetDependents: true }, 'shop-dev p a b c d', 'shop-dev a b c d'],
  [{ targets: ['**::none'] }, 'shop-dev p', ''],
  [{ excludes: [urnOf('b')] }, 'shop-dev p a c d', 'shop-dev p a c d'],
  [{ excludes: [urnOf('b')], excludeDependents: true }, 'shop-dev p a', 'shop-dev p a'],
  [{ excludes: [providerUrn] }, 'shop-dev p a b c d', 'shop-dev a b c d'],
  [{ excludes: [providerUrn], excludeDependents: true }, 'shop-dev p', 'shop-dev a b c d'],
  // Targets take precedence when the program registers a resource, and excludes in a refresh.
  [{ targets: [urnOf('a')], excludes: [urnOf('a')] }, 'shop-dev p a', 'shop-dev p b c d'],
  [{ excludeProtected: true }, 'shop-dev p d', 'd'],
])(
  'the scope of %j contains the registered %s and refreshes %s',
  (targeting, registered, refreshed) => {
    const input = {
      scope: scopeOf({ ...noTargeting, ...targeting }, { graph: createStateGraph(states) }),
      sets: createSets(),
    }
    const included = states.filter(resource => {
      const isIncluded = isTargetedRegistration(input, resource)
      reduceSets(input.sets, createScopeDelta(input, resource, isIncluded))
      return isIncluded
    })
    expect(namesOf(included)).toBe(registered)
    expect(namesOf([...selectRefreshedStates(states, input.scope)])).toBe(refreshed)
  },
)

test('a resource is replaced on request or because of its taint', () => {
  const scope = scopeOf(
    { ...noTargeting, replaces: ['**::a'] },
    { graph: createStateGraph(states) },
  )
  const scopeOfAll = scopeOf(undefined, { graph: createStateGraph(states) })
  expect(isReplacedWithoutDiff(scope, urnOf('a'), { taint: false })).toBe(true)
  expect(isReplacedWithoutDiff(scope, urnOf('b'), { taint: false })).toBe(false)
  expect(isReplacedWithoutDiff(scopeOfAll, urnOf('a'), { taint: false })).toBe(false)
  expect(isReplacedWithoutDiff(scopeOfAll, urnOf('a'), { taint: true })).toBe(true)
  expect(isReplacedWithoutDiff(scopeOfAll, urnOf('a'), undefined)).toBe(false)
})
