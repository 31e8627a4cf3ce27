import { describe, expect, test } from 'vitest'
import type { Claim } from '../records/claim.ts'
import type { Json, StoredDeployment, StoredResource } from '../state/stored.ts'
import { findChangedUrn, mergeStates } from './merge-states.ts'

const urnOf = (name: string, type = 'a:b:C'): string => `urn:pulumi:dev::shop::${type}::${name}`
const thingOf = (
  name: string,
  fields: { readonly [field: string]: Json } = {},
): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
})
const rootOf = (outputs: { readonly [name: string]: Json }): StoredResource => ({
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
const claimOf = ({
  changes = [],
  reads = [],
}: Readonly<Partial<Record<'changes' | 'reads', readonly string[]>>>): Claim => ({
  changes: new Set(changes.map(name => urnOf(name))),
  reads: new Set(reads.map(name => urnOf(name))),
})
const namesOf = (state: StoredDeployment | undefined): readonly string[] | undefined =>
  state?.resources?.map(
    ({ urn, id }) => `${urn.split('::').at(-1)}${typeof id === 'string' ? id : ''}`,
  )

describe('the merge of a targeted deployment', () => {
  const base = stateOf(thingOf('a'), thingOf('b'))

  test('changes, additions and removals of both sides are in the result', () => {
    const folded = stateOf(thingOf('a', { id: '1' }), thingOf('b'), thingOf('new'))
    expect(namesOf(mergeStates({ base, folded, current: stateOf(thingOf('a')) }))).toEqual([
      'a1',
      'new',
    ])
    const removed = stateOf(thingOf('b'))
    const current = stateOf(thingOf('a'), thingOf('b', { id: '2' }), thingOf('other'))
    expect(namesOf(mergeStates({ base, folded: removed, current }))).toEqual(['b2', 'other'])
  })

  test('the order of two merges does not change the resources', () => {
    const one = stateOf(thingOf('a', { id: '1' }), thingOf('b'))
    const other = stateOf(thingOf('a'), thingOf('b', { id: '2' }))
    const oneFirst = mergeStates({ base, folded: other, current: one })
    const otherFirst = mergeStates({ base, folded: one, current: other })
    expect(oneFirst?.resources).toEqual(otherFirst?.resources)
  })

  test('a repeated merge has no result, and neither has a merge without changes', () => {
    const folded = stateOf(thingOf('a', { id: '1' }), thingOf('b'))
    const current = stateOf(thingOf('a'), thingOf('b', { id: '2' }))
    const merged = mergeStates({ base, folded, current })
    if (merged === undefined) throw new Error('no merged state')
    expect(mergeStates({ base, folded, current: merged })).toBeUndefined()
    expect(mergeStates({ base, folded: base, current })).toBeUndefined()
  })

  test('pending operations of both sides stay', () => {
    const pendingOf = (name: string): StoredDeployment => ({
      ...base,
      pending_operations: [{ resource: thingOf(name), type: 'creating' }],
    })
    const merged = mergeStates({ base, folded: pendingOf('x'), current: pendingOf('y') })
    expect(merged?.pending_operations?.map(({ resource }) => resource.urn)).toEqual([
      urnOf('y'),
      urnOf('x'),
    ])
    const resolved = stateOf(thingOf('a'), thingOf('b'), thingOf('x'))
    const cleared = mergeStates({ base: pendingOf('x'), folded: resolved, current: pendingOf('x') })
    expect(cleared).not.toHaveProperty('pending_operations')
  })

  test('pending updates of the base need no claim, because every fold drops them', () => {
    const withPendingUpdate = (id: string): StoredDeployment => ({
      ...base,
      pending_operations: [{ resource: thingOf('b', { id }), type: 'updating' }],
    })
    const folded = stateOf(thingOf('a', { id: '1' }), thingOf('b'))
    const [old, again] = [withPendingUpdate('old'), withPendingUpdate('again')]
    const foldLast = mergeStates({ base: old, folded, current: again })
    const foldFirst = mergeStates({ base: old, folded: again, current: folded })
    for (const merged of [foldLast, foldFirst]) {
      expect(namesOf(merged)).toEqual(['a1', 'b'])
      expect(merged?.pending_operations).toEqual(again.pending_operations)
      expect(merged?.metadata).toEqual({})
    }
    expect(findChangedUrn(old, folded, claimOf({ reads: ['b'] }))).toBeUndefined()
    expect(findChangedUrn(old, again, claimOf({ reads: ['b'] }))).toBe(urnOf('b'))
  })

  test('a resource that both sides changed is kept with both objects, and named in the metadata of the state', () => {
    const folded = stateOf(thingOf('a', { id: '1' }), thingOf('b'))
    const current = stateOf(thingOf('a', { id: '2' }), thingOf('b'))
    const merged = mergeStates({ base, folded, current })
    expect(namesOf(merged)).toEqual(['a1', 'a2', 'b'])
    expect(merged?.resources?.[1]).toMatchObject({ id: '2', delete: true })
    expect(JSON.stringify(merged?.metadata)).toContain(`changed '${urnOf('a')}' at the same time`)
    if (merged === undefined) throw new Error('no merged state')
    expect(mergeStates({ base, folded, current: merged })).toBeUndefined()
  })

  test('an external resource that both sides have read keeps the published values', () => {
    const externalOf = (id: string): StoredDeployment =>
      stateOf(thingOf('ext', { id, external: true }))
    const sides = { base: externalOf('1'), folded: externalOf('2'), current: externalOf('3') }
    expect(mergeStates(sides)).toBeUndefined()
    expect(findChangedUrn(sides.base, sides.current, claimOf({ reads: ['ext'] }))).toBeUndefined()
  })

  test('outputs of a component are merged by name', () => {
    const groupOf = (outputs: { readonly [name: string]: Json }): StoredDeployment =>
      stateOf({ urn: urnOf('g', 'c:d:E'), custom: false, type: 'c:d:E', outputs })
    const [before, folded] = [groupOf({ a: 1, b: 1 }), groupOf({ a: 2, b: 1 })]
    const merged = mergeStates({ base: before, folded, current: groupOf({ a: 1, b: 2 }) })
    expect(merged?.resources?.[0]?.['outputs']).toEqual({ a: 2, b: 2 })
  })

  test('a change of only a source position needs no claim', () => {
    const folded = stateOf(thingOf('a', { sourcePosition: 'x' }), thingOf('b'))
    const current = stateOf(thingOf('a', { id: '2' }), thingOf('b'))
    expect(mergeStates({ base, folded, current })).toBeUndefined()
    const merged = mergeStates({ base, folded: current, current: folded })
    expect(namesOf(merged)).toEqual(['a2', 'b'])
  })

  test('outputs with names of the prototype are merged like others', () => {
    const outputs = (text: string) => JSON.parse(text) as { readonly [name: string]: Json }
    const merged = mergeStates({
      base: stateOf(rootOf(outputs('{"constructor":1}'))),
      folded: stateOf(rootOf(outputs('{"__proto__":1,"constructor":1}'))),
      current: stateOf(rootOf(outputs('{"constructor":1,"toString":2}'))),
    })
    expect(JSON.stringify(merged?.resources?.[0]?.['outputs'])).toBe(
      '{"constructor":1,"toString":2,"__proto__":1}',
    )
  })

  test('outputs of the stack are merged by name', () => {
    const outputs = { a: 1, b: 1, gone: 1 }
    const merged = mergeStates({
      base: stateOf(rootOf(outputs)),
      folded: stateOf(rootOf({ a: 2, b: 1, added: 1 })),
      current: stateOf(rootOf({ ...outputs, b: 2 })),
    })
    expect(merged?.resources?.[0]?.['outputs']).toEqual({ a: 2, b: 2, added: 1 })
  })
})

test('findChangedUrn finds a changed resource, and ignores source positions and outputs of the stack', () => {
  const one = stateOf(rootOf({ a: 1 }), thingOf('a', { sourcePosition: 'x' }), thingOf('b'))
  const other = stateOf(rootOf({ a: 2 }), thingOf('a'), thingOf('b', { id: '1' }))
  const rootUrn = urnOf('shop-dev', 'pulumi:pulumi:Stack')
  expect(
    findChangedUrn(one, other, { changes: new Set([rootUrn]), reads: new Set([urnOf('a')]) }),
  ).toBeUndefined()
  expect(findChangedUrn(one, other, claimOf({ reads: ['a', 'b'] }))).toBe(urnOf('b'))
  expect(findChangedUrn(one, other, claimOf({ reads: ['missing'] }))).toBeUndefined()
})

test('findChangedUrn finds a new resource that refers to a claimed change', () => {
  const one = stateOf(thingOf('a'))
  const other = stateOf(thingOf('a'), thingOf('new', { dependencies: [urnOf('a')] }))
  expect(findChangedUrn(one, other, claimOf({ reads: ['a'] }))).toBeUndefined()
  expect(findChangedUrn(one, other, claimOf({ changes: ['a'] }))).toBe(urnOf('new'))
})
