import { describe, expect, test } from 'vitest'
import type { BlobHash } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { StateEffect } from '../records/operation.ts'
import type { StoredResource } from '../state/stored.ts'
import { fold } from './fold.ts'
import {
  type FoldFixture,
  testUrnOf,
  idOf,
  createResource,
  createDependencyFields,
  createBaseReference,
  createOperationReference,
  createTestOperation,
  createTestCreate,
  createRegistration,
  createTestEnd,
  createTestSuccess,
  fixtureInputOf,
  foldFixture,
  foldedResourcesOf,
} from './fold.fixture.ts'

describe('the effect of an end on the list of states', () => {
  const [a, b] = [
    createResource('a', { id: 'old' }),
    createResource('b', createDependencyFields('a')),
  ]

  test.each<[StateEffect, StoredResource | undefined, StoredResource[]]>([
    ['add', createResource('c', { id: 'new' }), [createResource('c', { id: 'new' }), a, b]],
    ['replace', createResource('a', { id: 'new' }), [createResource('a', { id: 'new' }), b]],
    [
      'add-mark',
      createResource('a', { id: 'new' }),
      [createResource('a', { id: 'new' }), { ...a, delete: true }, b],
    ],
    ['swap', createResource('a', { id: 'new' }), [createResource('a', { id: 'new' }), b]],
    ['swap', undefined, [createResource('b')]],
    ['mark-pending', undefined, [{ ...a, pendingReplacement: true }, b]],
    ['none', undefined, [a, b]],
  ])('%s', (effect, state, expected) => {
    const step = createTestOperation(1, 'a', {
      op: 'update',
      effect,
      old: createBaseReference(0, 'a'),
    })
    for (const verdict of ['succeeded', 'partial'] as const) {
      const fixture = {
        base: [a, b],
        decisions: [createRegistration(step)],
        ends: [createTestEnd(1, verdict, state)],
      }
      expect(foldedResourcesOf(fixture)).toEqual(expected)
    }
  })

  test('remove', () => {
    const step = createTestOperation(1, 'b', {
      op: 'delete',
      effect: 'remove',
      old: createBaseReference(1, 'b'),
    })
    expect(
      foldedResourcesOf({
        base: [a, b],
        decisions: [createRegistration(step)],
        ends: [createTestEnd(1, 'succeeded')],
      }),
    ).toEqual([a])
  })

  test.each<StateEffect>(['replace', 'remove'])(
    '%s of a state that this deployment created',
    effect => {
      const step = createTestOperation(2, 'a', {
        op: 'update',
        effect,
        old: createOperationReference(1),
      })
      const end = effect === 'remove' ? createTestEnd(2, 'succeeded') : createTestSuccess(2, 'a')
      const fixture = {
        decisions: [createRegistration(createTestCreate(1, 'a')), createRegistration(step)],
        ends: [createTestSuccess(1, 'a'), end],
      }
      expect(foldedResourcesOf(fixture)).toEqual(
        effect === 'remove' ? [] : [createResource('a', { id: '2' })],
      )
    },
  )

  test('marks a state that this deployment created', () => {
    const mark = createTestOperation(3, 'b', {
      op: 'delete-replaced',
      effect: 'mark-pending',
      old: createOperationReference(2),
    })
    const replaced = createTestCreate(4, 'a', {
      op: 'create-replacement',
      effect: 'add-mark',
      old: createOperationReference(1),
    })
    const fixture = {
      decisions: [
        createRegistration(createTestCreate(1, 'a')),
        createRegistration(createTestCreate(2, 'b')),
        createRegistration(mark, replaced),
      ],
      ends: [
        createTestSuccess(1, 'a'),
        createTestSuccess(2, 'b'),
        createTestEnd(3, 'succeeded'),
        createTestSuccess(4, 'a'),
      ],
    }
    expect(foldedResourcesOf(fixture)).toEqual([
      createResource('a', { id: '1', delete: true }),
      createResource('b', { id: '2', pendingReplacement: true }),
      createResource('a', { id: '4' }),
    ])
  })

  test.each([
    ['delete-replaced', { delete: true }],
    ['delete', {}],
  ] as const)('a pending operation of an interrupted %s has the mark of its state', (op, marks) => {
    const step = createTestOperation(1, 'b', {
      op,
      effect: 'remove',
      old: createBaseReference(1, 'b'),
    })
    const { pending_operations: pending = [] } = foldFixture({
      base: [a, b],
      decisions: [createRegistration(step)],
      ends: [createTestEnd(1, 'interrupted')],
    })
    expect(pending).toEqual([{ resource: { ...b, ...marks }, type: 'deleting' }])
  })

  test('a refreshed resource can be updated in the same deployment', () => {
    const refresh = createTestOperation(1, 'a', {
      op: 'refresh',
      effect: 'swap',
      old: createBaseReference(1, 'a'),
    })
    const update = createTestOperation(2, 'a', {
      op: 'update',
      effect: 'replace',
      old: createOperationReference(1),
    })
    const fixture = {
      base: [createResource('z'), createResource('a', createDependencyFields('z'))],
      decisions: [createRegistration(refresh), createRegistration(update)],
      ends: [
        createTestSuccess(1, 'a', createDependencyFields('z')),
        createTestSuccess(2, 'a', createDependencyFields('z')),
      ],
    }
    expect(foldedResourcesOf(fixture)).toEqual([
      createResource('z'),
      createResource('a', { id: '2', ...createDependencyFields('z') }),
    ])
  })

  test('a refresh without an outcome removes nothing', () => {
    const refresh = createTestOperation(1, 'a', {
      op: 'refresh',
      effect: 'swap',
      old: createBaseReference(0, 'a'),
    })
    const [, end] = createTestEnd(1, 'succeeded')
    expect(
      foldedResourcesOf({
        base: [a],
        decisions: [createRegistration(refresh)],
        ends: [[1, { head: end.head }]],
      }),
    ).toEqual([a])
  })
})

describe('decisions', () => {
  test('a settled decision of the generator needs no end', () => {
    const step = createTestOperation(1, 'a', {
      op: 'same',
      effect: 'replace',
      old: createBaseReference(0, 'a'),
    })
    const state = createResource('a', { protect: true })
    const fixture: FoldFixture = {
      base: [createResource('a')],
      decisions: [{ kind: 'settled', operation: step, state, goal: '', sets: {} }],
    }
    expect(foldedResourcesOf(fixture)).toEqual([state])
  })

  test('plan pages are read in order', () => {
    const pages = new Map([
      ['p', [createTestCreate(1, 'a')]],
      ['q', [createTestCreate(2, 'b')]],
    ])
    const hashes = ['p', 'q'] as readonly string[] as readonly BlobHash[]
    const decisions: Decision[] = [{ kind: 'plan', what: 'deletes', pages: hashes, operations: 2 }]
    const ends = [createTestSuccess(1, 'a'), createTestSuccess(2, 'b')]
    expect(foldedResourcesOf({ decisions, ends, pages }).map(({ urn }) => urn)).toEqual([
      testUrnOf('a'),
      testUrnOf('b'),
    ])
  })

  test('outputs of a base resource keep its place', () => {
    const state = createResource('a', { outputs: { x: 1 } })
    const outputs: Decision = {
      kind: 'outputs',
      target: createBaseReference(1, 'a'),
      state,
      operation: idOf(1),
    }
    expect(
      foldedResourcesOf({ base: [createResource('z'), createResource('a')], decisions: [outputs] }),
    ).toEqual([createResource('z'), state])
  })

  test.each([0, 7])('a reference with a wrong index of the base (%i) is refused', index => {
    const step = createTestOperation(1, 'a', {
      op: 'delete',
      effect: 'remove',
      old: createBaseReference(index, 'a'),
    })
    expect(() =>
      foldFixture({ base: [createResource('z')], decisions: [createRegistration(step)] }),
    ).toThrow(/of the base does not hold/)
  })
})

describe('the snapshot', () => {
  test('is sorted: a resource that depends on an untouched resource comes after it', () => {
    const fixture: FoldFixture = {
      base: [createResource('a')],
      decisions: [createRegistration(createTestCreate(1, 'b'))],
      ends: [createTestSuccess(1, 'b', createDependencyFields('a'))],
    }
    const result = foldFixture(fixture)
    expect(result.resources?.map(({ urn }) => urn)).toEqual([testUrnOf('a'), testUrnOf('b')])
    expect(result.metadata).toEqual({})
    expect(result.secrets_providers).toEqual({ type: 'passphrase', state: { salt: 's' } })
  })

  test('has normalized URNs', () => {
    const step = createTestOperation(1, 'new', {
      op: 'same',
      effect: 'replace',
      old: createBaseReference(0, 'old'),
    })
    const fixture: FoldFixture = {
      base: [createResource('old'), createResource('b', createDependencyFields('old'))],
      decisions: [
        {
          kind: 'settled',
          operation: step,
          state: createResource('new', { aliases: [testUrnOf('old')] }),
          goal: '',
          sets: {},
        },
      ],
    }
    expect(foldedResourcesOf(fixture)).toEqual([
      createResource('new'),
      createResource('b', createDependencyFields('new')),
    ])
  })

  test('records the current integrity error and drops an old one', () => {
    const input = fixtureInputOf({
      base: [createResource('b', createDependencyFields('gone'))],
      decisions: [],
    })
    const invalidState = fold(input)
    expect(invalidState.metadata).toMatchObject({
      integrity_error: { version: '3', error: expect.stringMatching(/gone.*is missing/) },
    })
    const step = createTestOperation(1, 'b', {
      op: 'delete',
      effect: 'remove',
      old: createBaseReference(0, 'b'),
    })
    const repaired = fold({
      ...fixtureInputOf({
        decisions: [createRegistration(step)],
        ends: [createTestEnd(1, 'succeeded')],
      }),
      base: invalidState,
    })
    expect(repaired.metadata).toEqual({})
  })
})
