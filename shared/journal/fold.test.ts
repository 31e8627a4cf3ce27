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
  resource,
  dependsOn,
  baseReference,
  operationReference,
  testOperation,
  testCreate,
  registration,
  testEnd,
  testSuccess,
  fixtureInputOf,
  foldFixture,
  foldedResourcesOf,
} from './fold.fixture.ts'

describe('the effect of an end on the list of states', () => {
  const [a, b] = [resource('a', { id: 'old' }), resource('b', dependsOn('a'))]

  test.each<[StateEffect, StoredResource | undefined, StoredResource[]]>([
    ['add', resource('c', { id: 'new' }), [resource('c', { id: 'new' }), a, b]],
    ['replace', resource('a', { id: 'new' }), [resource('a', { id: 'new' }), b]],
    [
      'add-mark',
      resource('a', { id: 'new' }),
      [resource('a', { id: 'new' }), { ...a, delete: true }, b],
    ],
    ['swap', resource('a', { id: 'new' }), [resource('a', { id: 'new' }), b]],
    ['swap', undefined, [resource('b')]],
    ['mark-pending', undefined, [{ ...a, pendingReplacement: true }, b]],
    ['none', undefined, [a, b]],
  ])('%s', (effect, state, expected) => {
    const step = testOperation(1, 'a', { op: 'update', effect, old: baseReference(0, 'a') })
    for (const verdict of ['succeeded', 'partial'] as const) {
      const fixture = {
        base: [a, b],
        decisions: [registration(step)],
        ends: [testEnd(1, verdict, state)],
      }
      expect(foldedResourcesOf(fixture)).toEqual(expected)
    }
  })

  test('remove', () => {
    const step = testOperation(1, 'b', {
      op: 'delete',
      effect: 'remove',
      old: baseReference(1, 'b'),
    })
    expect(
      foldedResourcesOf({
        base: [a, b],
        decisions: [registration(step)],
        ends: [testEnd(1, 'succeeded')],
      }),
    ).toEqual([a])
  })

  test.each<StateEffect>(['replace', 'remove'])(
    '%s of a state that this deployment created',
    effect => {
      const step = testOperation(2, 'a', { op: 'update', effect, old: operationReference(1) })
      const end = effect === 'remove' ? testEnd(2, 'succeeded') : testSuccess(2, 'a')
      const fixture = {
        decisions: [registration(testCreate(1, 'a')), registration(step)],
        ends: [testSuccess(1, 'a'), end],
      }
      expect(foldedResourcesOf(fixture)).toEqual(
        effect === 'remove' ? [] : [resource('a', { id: '2' })],
      )
    },
  )

  test('marks a state that this deployment created', () => {
    const mark = testOperation(3, 'b', {
      op: 'delete-replaced',
      effect: 'mark-pending',
      old: operationReference(2),
    })
    const replaced = testCreate(4, 'a', {
      op: 'create-replacement',
      effect: 'add-mark',
      old: operationReference(1),
    })
    const fixture = {
      decisions: [
        registration(testCreate(1, 'a')),
        registration(testCreate(2, 'b')),
        registration(mark, replaced),
      ],
      ends: [
        testSuccess(1, 'a'),
        testSuccess(2, 'b'),
        testEnd(3, 'succeeded'),
        testSuccess(4, 'a'),
      ],
    }
    expect(foldedResourcesOf(fixture)).toEqual([
      resource('a', { id: '1', delete: true }),
      resource('b', { id: '2', pendingReplacement: true }),
      resource('a', { id: '4' }),
    ])
  })

  test.each([
    ['delete-replaced', { delete: true }],
    ['delete', {}],
  ] as const)('a pending operation of an interrupted %s has the mark of its state', (op, marks) => {
    const step = testOperation(1, 'b', { op, effect: 'remove', old: baseReference(1, 'b') })
    const { pending_operations: pending = [] } = foldFixture({
      base: [a, b],
      decisions: [registration(step)],
      ends: [testEnd(1, 'interrupted')],
    })
    expect(pending).toEqual([{ resource: { ...b, ...marks }, type: 'deleting' }])
  })

  test('a refreshed resource can be updated in the same deployment', () => {
    const refresh = testOperation(1, 'a', {
      op: 'refresh',
      effect: 'swap',
      old: baseReference(1, 'a'),
    })
    const update = testOperation(2, 'a', {
      op: 'update',
      effect: 'replace',
      old: operationReference(1),
    })
    const fixture = {
      base: [resource('z'), resource('a', dependsOn('z'))],
      decisions: [registration(refresh), registration(update)],
      ends: [testSuccess(1, 'a', dependsOn('z')), testSuccess(2, 'a', dependsOn('z'))],
    }
    expect(foldedResourcesOf(fixture)).toEqual([
      resource('z'),
      resource('a', { id: '2', ...dependsOn('z') }),
    ])
  })

  test('a refresh without an outcome removes nothing', () => {
    const refresh = testOperation(1, 'a', {
      op: 'refresh',
      effect: 'swap',
      old: baseReference(0, 'a'),
    })
    const [, end] = testEnd(1, 'succeeded')
    expect(
      foldedResourcesOf({
        base: [a],
        decisions: [registration(refresh)],
        ends: [[1, { head: end.head }]],
      }),
    ).toEqual([a])
  })
})

describe('decisions', () => {
  test('a settled decision of the generator needs no end', () => {
    const step = testOperation(1, 'a', {
      op: 'same',
      effect: 'replace',
      old: baseReference(0, 'a'),
    })
    const state = resource('a', { protect: true })
    const fixture: FoldFixture = {
      base: [resource('a')],
      decisions: [{ kind: 'settled', operation: step, state, goal: '', sets: {} }],
    }
    expect(foldedResourcesOf(fixture)).toEqual([state])
  })

  test('plan pages are read in order', () => {
    const pages = new Map([
      ['p', [testCreate(1, 'a')]],
      ['q', [testCreate(2, 'b')]],
    ])
    const hashes = ['p', 'q'] as readonly string[] as readonly BlobHash[]
    const decisions: Decision[] = [{ kind: 'plan', what: 'deletes', pages: hashes, operations: 2 }]
    const ends = [testSuccess(1, 'a'), testSuccess(2, 'b')]
    expect(foldedResourcesOf({ decisions, ends, pages }).map(({ urn }) => urn)).toEqual([
      testUrnOf('a'),
      testUrnOf('b'),
    ])
  })

  test('outputs of a base resource keep its place', () => {
    const state = resource('a', { outputs: { x: 1 } })
    const outputs: Decision = {
      kind: 'outputs',
      target: baseReference(1, 'a'),
      state,
      operation: idOf(1),
    }
    expect(
      foldedResourcesOf({ base: [resource('z'), resource('a')], decisions: [outputs] }),
    ).toEqual([resource('z'), state])
  })

  test.each([0, 7])('a reference with a wrong index of the base (%i) is refused', index => {
    const step = testOperation(1, 'a', {
      op: 'delete',
      effect: 'remove',
      old: baseReference(index, 'a'),
    })
    expect(() => foldFixture({ base: [resource('z')], decisions: [registration(step)] })).toThrow(
      /of the base does not hold/,
    )
  })
})

describe('the snapshot', () => {
  test('is sorted: a resource that depends on an untouched resource comes after it', () => {
    const fixture: FoldFixture = {
      base: [resource('a')],
      decisions: [registration(testCreate(1, 'b'))],
      ends: [testSuccess(1, 'b', dependsOn('a'))],
    }
    const result = foldFixture(fixture)
    expect(result.resources?.map(({ urn }) => urn)).toEqual([testUrnOf('a'), testUrnOf('b')])
    expect(result.metadata).toEqual({})
    expect(result.secrets_providers).toEqual({ type: 'passphrase', state: { salt: 's' } })
  })

  test('has normalized URNs', () => {
    const step = testOperation(1, 'new', {
      op: 'same',
      effect: 'replace',
      old: baseReference(0, 'old'),
    })
    const fixture: FoldFixture = {
      base: [resource('old'), resource('b', dependsOn('old'))],
      decisions: [
        {
          kind: 'settled',
          operation: step,
          state: resource('new', { aliases: [testUrnOf('old')] }),
          goal: '',
          sets: {},
        },
      ],
    }
    expect(foldedResourcesOf(fixture)).toEqual([resource('new'), resource('b', dependsOn('new'))])
  })

  test('records the current integrity error and drops an old one', () => {
    const input = fixtureInputOf({ base: [resource('b', dependsOn('gone'))], decisions: [] })
    const invalidState = fold(input)
    expect(invalidState.metadata).toMatchObject({
      integrity_error: { version: '3', error: expect.stringMatching(/gone.*is missing/) },
    })
    const step = testOperation(1, 'b', {
      op: 'delete',
      effect: 'remove',
      old: baseReference(0, 'b'),
    })
    const repaired = fold({
      ...fixtureInputOf({ decisions: [registration(step)], ends: [testEnd(1, 'succeeded')] }),
      base: invalidState,
    })
    expect(repaired.metadata).toEqual({})
  })
})
