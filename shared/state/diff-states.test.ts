import { expect, test } from 'vitest'
import { diffStates } from './diff-states.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

const urn = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
const thing = (name: string, fields: Record<string, Json> = {}): StoredResource => ({
  urn: urn(name),
  custom: true,
  id: `${name}-1`,
  type: 'a:b:C',
  ...fields,
})
const stateOf = (...resources: StoredResource[]): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  resources,
  metadata: {},
})
/** Returns a secret in Pulumi's format. A fixed key with a fixed value marks it. */
const secret = (ciphertext: string): Json => ({
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ciphertext,
})
/** Compares secrets without a key, so the result is always unknown. */
const compareNothing = (): undefined => undefined

test('added, removed and changed resources are found, and times are ignored', () => {
  const before = stateOf(
    thing('a', { inputs: { size: 1, list: [1, 2] }, modified: '1' }),
    thing('b'),
    thing('c', { modified: '1' }),
  )
  const after = stateOf(
    thing('a', { inputs: { size: 2, list: [1], more: { x: true } }, modified: '2' }),
    thing('c', { modified: '2' }),
    thing('d'),
  )
  const diff = diffStates(before, after, compareNothing)
  expect(diff.sameCount).toBe(1)
  expect(diff.changes.map(({ op, urn: changed }) => [op, changed])).toEqual([
    ['change', urn('a')],
    ['add', urn('d')],
    ['remove', urn('b')],
  ])
  expect(diff.changes[0]?.properties).toEqual([
    { path: 'inputs.size', op: 'change', old: 1, new: 2 },
    { path: 'inputs.list[1]', op: 'remove', old: 2 },
    { path: 'inputs.more', op: 'add', new: { x: true } },
  ])
})

test('secrets are hidden, also in added values and where only one side is secret', () => {
  const before = stateOf(thing('a', { inputs: { key: 'plain', other: secret('x') } }))
  const after = stateOf(
    thing('a', { inputs: { key: secret('y'), other: secret('z'), all: [{ k: secret('w') }] } }),
  )
  const diff = diffStates(before, after, () => false)
  expect(JSON.stringify(diff)).not.toMatch(/plain|"[xyzw]"/)
  expect(diff.changes[0]?.properties.map(({ path, op }) => [path, op])).toEqual([
    ['inputs.key', 'change'],
    ['inputs.other', 'change'],
    ['inputs.all', 'add'],
  ])
})

test('a secret that was encrypted again is equal, or unknown without a key', () => {
  const before = stateOf(thing('a', { inputs: { key: secret('x') } }))
  const after = stateOf(thing('a', { inputs: { key: secret('y') } }))
  expect(diffStates(before, after, () => true).changes).toEqual([])
  expect(diffStates(before, after, compareNothing).changes[0]?.properties[0]?.op).toBe('unknown')
})

test('an old copy is another resource than its replacement', () => {
  const before = stateOf(thing('a'))
  const after = stateOf(thing('a', { id: 'a-2' }), thing('a', { delete: true }))
  expect(diffStates(before, after, compareNothing).changes).toEqual([
    {
      op: 'change',
      urn: urn('a'),
      type: 'a:b:C',
      id: 'a-2',
      properties: [{ path: 'id', op: 'change', old: 'a-1', new: 'a-2' }],
    },
    { op: 'add', urn: urn('a'), type: 'a:b:C', id: 'a-1', isOldCopy: true, properties: [] },
  ])
})
