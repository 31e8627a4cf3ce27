import { describe, expect, test } from 'vitest'
import { clearPending, clearPendingCreates, importPending, withoutOrigins } from './pending.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

const urn = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
const resource = (name: string, more: object = {}): StoredResource => ({
  urn: urn(name),
  custom: true,
  type: 'a:b:C',
  ...more,
})
const state: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  metadata: {},
  resources: [resource('a', { id: 'a-1' }), resource('old', { id: 'o-1' })],
  pending_operations: [
    { resource: resource('b', { dependencies: [urn('a')] }), type: 'creating' },
    { resource: resource('old'), type: 'updating' },
  ],
}

describe('a pending operation', () => {
  test('that is cleared is gone, and nothing else', () => {
    const cleared = clearPending(state, urn('b'))
    expect(cleared.pending_operations).toEqual([state.pending_operations?.[1]])
    expect(cleared.resources).toBe(state.resources)
    expect(clearPending(cleared, urn('old'))).not.toHaveProperty('pending_operations')
  })

  test('that stays, stays in its place among the fields', () => {
    const { metadata, ...before } = state
    const ordered = { ...before, metadata }
    const fields = Object.keys(ordered)
    expect(Object.keys(clearPending(ordered, urn('b')))).toEqual(fields)
    expect(Object.keys(withoutOrigins(ordered))).toEqual(fields)
    expect(Object.keys(importPending(ordered, urn('b'), 'b-1'))).toEqual(fields)
  })

  test('of a create that is imported becomes a resource that is read first', () => {
    const imported = importPending(state, urn('b'), 'b-7')
    expect(imported.resources?.at(-1)).toEqual(
      resource('b', { dependencies: [urn('a')], id: 'b-7', refreshBeforeUpdate: true }),
    )
    expect(imported.pending_operations).toEqual([state.pending_operations?.[1]])
  })

  test('of a create that is imported leaves another create of the URN pending', () => {
    const again = { resource: resource('b'), type: 'creating' as const }
    const twice = { ...state, pending_operations: [...(state.pending_operations ?? []), again] }
    const imported = importPending(twice, urn('b'), 'b-7')
    expect(imported.pending_operations).toEqual([state.pending_operations?.[1], again])
  })

  test('of a create that is imported takes the place of what was deleted for it', () => {
    const gone = resource('b', { id: 'b-7', pendingReplacement: true })
    const before = { ...state, resources: [...(state.resources ?? []), gone] }
    const imported = importPending(before, urn('b'), 'b-7')
    expect(imported.resources).toEqual(importPending(state, urn('b'), 'b-7').resources)
  })

  test('keeps others when all creates are forgotten', () => {
    expect(clearPendingCreates(state).pending_operations).toEqual([state.pending_operations?.[1]])
  })

  test.each([
    ['what is not pending', () => clearPending(state, urn('a'))],
    ['an import under the id of another', () => importPending(state, urn('b'), 'a-1')],
    ['an import of what is no create', () => importPending(state, urn('old'), 'x')],
    [
      'an import of what the state has',
      () =>
        importPending(
          { ...state, pending_operations: [{ resource: resource('a'), type: 'creating' }] },
          urn('a'),
          'a-2',
        ),
    ],
    [
      'an import of what no provider manages any more',
      () => {
        const provider = 'urn:pulumi:dev::shop::pulumi:providers:a::default::gone'
        const resources = [{ resource: resource('b', { provider }), type: 'creating' }]
        return importPending({ ...state, pending_operations: resources }, urn('b'), 'b-7')
      },
    ],
  ])('is refused: %s', (_what, change) => expect(change).toThrow())
})
