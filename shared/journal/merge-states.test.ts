import { describe, expect, test } from 'vitest'
import type { Json, StoredDeployment, StoredResource } from '../state/stored.ts'
import { findChangedUrn, mergeStates } from './merge-states.ts'

const urnOf = (name: string, type = 'a:b:C'): string => `urn:pulumi:dev::shop::${type}::${name}`
const thing = (name: string, fields: { readonly [field: string]: Json } = {}): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
})
const root = (outputs: { readonly [name: string]: Json }): StoredResource => ({
  urn: urnOf('shop-dev', 'pulumi:pulumi:Stack'),
  custom: false,
  type: 'pulumi:pulumi:Stack',
  outputs,
})
const stateOf = (...resources: StoredResource[]): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  resources,
  metadata: {},
})
const namesOf = (state: StoredDeployment | undefined): readonly string[] | undefined =>
  state?.resources?.map(
    ({ urn, id }) => `${urn.split('::').at(-1)}${typeof id === 'string' ? id : ''}`,
  )

describe('the merge of a targeted deployment', () => {
  const base = stateOf(thing('a'), thing('b'))

  test('changes, additions and removals of both sides are in the result', () => {
    const folded = stateOf(thing('a', { id: '1' }), thing('b'), thing('new'))
    expect(namesOf(mergeStates({ base, folded, current: stateOf(thing('a')) }))).toEqual([
      'a1',
      'new',
    ])
    const removed = stateOf(thing('b'))
    const current = stateOf(thing('a'), thing('b', { id: '2' }), thing('other'))
    expect(namesOf(mergeStates({ base, folded: removed, current }))).toEqual(['b2', 'other'])
  })

  test('the order of two merges does not change the resources', () => {
    const one = stateOf(thing('a', { id: '1' }), thing('b'))
    const other = stateOf(thing('a'), thing('b', { id: '2' }))
    const oneFirst = mergeStates({ base, folded: other, current: one })
    const otherFirst = mergeStates({ base, folded: one, current: other })
    expect(oneFirst?.resources).toEqual(otherFirst?.resources)
  })

  test('a repeated merge, and one without changes, has no result', () => {
    const folded = stateOf(thing('a', { id: '1' }), thing('b'))
    const current = stateOf(thing('a'), thing('b', { id: '2' }))
    const merged = mergeStates({ base, folded, current })
    if (merged === undefined) throw new Error('there is one')
    expect(mergeStates({ base, folded, current: merged })).toBeUndefined()
    expect(mergeStates({ base, folded: base, current })).toBeUndefined()
  })

  test('pending operations of both sides stay', () => {
    const pendingOf = (name: string): StoredDeployment => ({
      ...base,
      pending_operations: [{ resource: thing(name), type: 'creating' }],
    })
    const merged = mergeStates({ base, folded: pendingOf('x'), current: pendingOf('y') })
    expect(merged?.pending_operations?.map(({ resource }) => resource.urn)).toEqual([
      urnOf('y'),
      urnOf('x'),
    ])
    const resolved = stateOf(thing('a'), thing('b'), thing('x'))
    const cleared = mergeStates({ base: pendingOf('x'), folded: resolved, current: pendingOf('x') })
    expect(cleared).not.toHaveProperty('pending_operations')
  })

  test('a resource that both sides changed is refused', () => {
    const folded = stateOf(thing('a', { id: '1' }), thing('b'))
    const current = stateOf(thing('a', { id: '2' }), thing('b'))
    expect(() => mergeStates({ base, folded, current })).toThrow(/at the same time/)
  })

  test('source positions need no claim', () => {
    const folded = stateOf(thing('a', { sourcePosition: 'x' }), thing('b'))
    const current = stateOf(thing('a', { id: '2' }), thing('b'))
    expect(mergeStates({ base, folded, current })).toBeUndefined()
    const merged = mergeStates({ base, folded: current, current: folded })
    expect(namesOf(merged)).toEqual(['a2', 'b'])
  })

  test('outputs of the stack are merged by name', () => {
    const outputs = { a: 1, b: 1, gone: 1 }
    const merged = mergeStates({
      base: stateOf(root(outputs)),
      folded: stateOf(root({ a: 2, b: 1, added: 1 })),
      current: stateOf(root({ ...outputs, b: 2 })),
    })
    expect(merged?.resources?.[0]?.['outputs']).toEqual({ a: 2, b: 2, added: 1 })
  })
})

test('a changed resource is found among URNs, without positions and outputs of the stack', () => {
  const one = stateOf(root({ a: 1 }), thing('a', { sourcePosition: 'x' }), thing('b'))
  const other = stateOf(root({ a: 2 }), thing('a'), thing('b', { id: '1' }))
  const urns = (...names: string[]): ReadonlySet<string> => new Set(names.map(name => urnOf(name)))
  const rootUrn = urnOf('shop-dev', 'pulumi:pulumi:Stack')
  expect(findChangedUrn(one, other, new Set([rootUrn, urnOf('a')]))).toBeUndefined()
  expect(findChangedUrn(one, other, urns('a', 'b'))).toBe(urnOf('b'))
  expect(findChangedUrn(one, other, urns('missing'))).toBeUndefined()
})
