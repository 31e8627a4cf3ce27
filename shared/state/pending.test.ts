import { describe, expect, test } from 'vitest'
import {
  clearPendingOperations,
  clearPendingCreates,
  importPendingCreate,
  withoutOperationOrigins,
} from './pending.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

const urn = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
const resource = (name: string, fields: object = {}): StoredResource => ({
  urn: urn(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
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
  test('is removed when it is cleared, and nothing else is', () => {
    const cleared = clearPendingOperations(state, urn('b'))
    expect(cleared.pending_operations).toEqual([state.pending_operations?.[1]])
    expect(cleared.resources).toBe(state.resources)
    expect(clearPendingOperations(cleared, urn('old'))).not.toHaveProperty('pending_operations')
  })

  test('that is removed or changed leaves the field order of the state unchanged', () => {
    const { metadata, ...before } = state
    const ordered = { ...before, metadata }
    const fields = Object.keys(ordered)
    expect(Object.keys(clearPendingOperations(ordered, urn('b')))).toEqual(fields)
    expect(Object.keys(withoutOperationOrigins(ordered))).toEqual(fields)
    expect(Object.keys(importPendingCreate(ordered, urn('b'), 'b-1'))).toEqual(fields)
  })

  test('of an imported create becomes a resource that is refreshed first', () => {
    const imported = importPendingCreate(state, urn('b'), 'b-7')
    expect(imported.resources?.at(-1)).toEqual(
      resource('b', { dependencies: [urn('a')], id: 'b-7', refreshBeforeUpdate: true }),
    )
    expect(Object.keys(imported.resources?.at(-1) ?? {})).toEqual([
      'urn',
      'custom',
      'id',
      'type',
      'dependencies',
      'refreshBeforeUpdate',
    ])
    expect(imported.pending_operations).toEqual([state.pending_operations?.[1]])
  })

  test('of an imported create leaves another create of the URN pending', () => {
    const secondCreate = { resource: resource('b'), type: 'creating' as const }
    const stateWithTwo = {
      ...state,
      pending_operations: [...(state.pending_operations ?? []), secondCreate],
    }
    const imported = importPendingCreate(stateWithTwo, urn('b'), 'b-7')
    expect(imported.pending_operations).toEqual([state.pending_operations?.[1], secondCreate])
  })

  test('of an imported create replaces the resource that was deleted for it', () => {
    const gone = resource('b', { id: 'b-7', pendingReplacement: true })
    const before = { ...state, resources: [...(state.resources ?? []), gone] }
    const imported = importPendingCreate(before, urn('b'), 'b-7')
    expect(imported.resources).toEqual(importPendingCreate(state, urn('b'), 'b-7').resources)
  })

  test('of other types stays when all creates are cleared', () => {
    expect(clearPendingCreates(state).pending_operations).toEqual([state.pending_operations?.[1]])
  })

  test.each([
    ['clearing a URN without a pending operation', () => clearPendingOperations(state, urn('a'))],
    [
      'an import with the id of another resource',
      () => importPendingCreate(state, urn('b'), 'a-1'),
    ],
    [
      'an import of an operation other than a create',
      () => importPendingCreate(state, urn('old'), 'x'),
    ],
    [
      'an import of a resource in the state',
      () =>
        importPendingCreate(
          { ...state, pending_operations: [{ resource: resource('a'), type: 'creating' }] },
          urn('a'),
          'a-2',
        ),
    ],
    [
      'an import without its provider',
      () => {
        const provider = 'urn:pulumi:dev::shop::pulumi:providers:a::default::gone'
        const resources = [{ resource: resource('b', { provider }), type: 'creating' }]
        return importPendingCreate({ ...state, pending_operations: resources }, urn('b'), 'b-7')
      },
    ],
  ])('cannot be resolved by %s', (_what, change) => expect(change).toThrow())
})
