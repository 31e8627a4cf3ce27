import { expect, test } from 'vitest'
import { nameOf, type Urn } from '../../names/urn.ts'
import { createResourceState, type ResourceState } from '../../state/resource.ts'
import { collectProtected, collectDependencies, collectDependents } from './closures.ts'
import { createStateGraph } from './dependencies.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const stateOf = (name: string, fields: Partial<ResourceState> = {}): ResourceState =>
  createResourceState({ urn: urnOf(name), type: 'a:b:C', custom: true, ...fields })
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p' as Urn
const provider = createResourceState({
  urn: providerUrn,
  type: 'pulumi:providers:a',
  custom: true,
  id: 'i',
})
const namesOf = (urns: ReadonlySet<Urn>): string => [...urns].map(nameOf).sort().join(' ')
const hasName =
  (name: string) =>
  (resource: ResourceState): boolean =>
    nameOf(resource.urn) === name

/** One edge of each kind, a component with two children and a dependent, and a lone state. */
const states = [
  provider,
  stateOf('a', { provider: `${providerUrn}::i` }),
  stateOf('b', { dependencies: [urnOf('a')] }),
  stateOf('c', { propertyDependencies: new Map([['x', [urnOf('b')]]]) }),
  stateOf('d', { deletedWith: urnOf('c') }),
  stateOf('e', { replaceWith: [urnOf('d')] }),
  stateOf('f', { parent: urnOf('e') }),
  stateOf('comp', { custom: false }),
  stateOf('in', { parent: urnOf('comp') }),
  stateOf('g', { dependencies: [urnOf('comp')] }),
  stateOf('later', { parent: urnOf('comp') }),
  stateOf('alone'),
]
const graph = createStateGraph(states)

test.each([
  ['p', 'a b c d e f p'],
  ['b', 'b c d e f'],
  ['f', 'f'],
  ['comp', 'comp g in later'],
  ['in', 'in'],
  ['alone', 'alone'],
])('collectDependents returns %s with all its dependents', (name, expected) => {
  expect(namesOf(collectDependents(graph, hasName(name)))).toBe(expected)
})

test.each([
  ['f', 'a b c d e f p'],
  ['g', 'comp g in'],
  ['later', 'comp later'],
  ['a', 'a p'],
  ['alone', 'alone'],
])('collectDependencies returns %s with all its dependencies', (name, expected) => {
  expect(namesOf(collectDependencies(graph, hasName(name), { mustIncludeDependents: false }))).toBe(
    expected,
  )
})

test('with `mustIncludeDependents`, collectDependencies also returns the dependencies of dependents', () => {
  expect(
    namesOf(collectDependencies(graph, hasName('comp'), { mustIncludeDependents: true })),
  ).toBe('comp g in later')
  expect(namesOf(collectDependencies(graph, hasName('d'), { mustIncludeDependents: true }))).toBe(
    'a b c d e f p',
  )
})

test('the children of a component are followed for each of its dependents', () => {
  const withTwoDependents = [...states, stateOf('h', { dependencies: [urnOf('comp')] })]
  const isRoot = ({ urn }: ResourceState): boolean => ['g', 'h'].includes(nameOf(urn))
  const closure = collectDependencies(createStateGraph(withTwoDependents), isRoot, {
    mustIncludeDependents: false,
  })
  expect(namesOf(closure)).toBe('comp g h in later')
})

test('protected states keep their dependencies, but no children of components', () => {
  const withProtectedG = states.map(resource =>
    nameOf(resource.urn) === 'g' ? { ...resource, protect: true } : resource,
  )
  expect(namesOf(collectProtected(createStateGraph(withProtectedG)))).toBe('comp g')
  const withProtectedF = states.map(resource =>
    nameOf(resource.urn) === 'f' ? { ...resource, protect: true } : resource,
  )
  expect(namesOf(collectProtected(createStateGraph(withProtectedF)))).toBe('a b c d e f p')
  expect(namesOf(collectProtected(graph))).toBe('')
})
