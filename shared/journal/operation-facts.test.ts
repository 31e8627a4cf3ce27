import { describe, expect, test } from 'vitest'
import { freshHead } from '../records/head.ts'
import type { Decision } from '../records/log.ts'
import type { StepOp } from '../records/operation.ts'
import { journalEntriesOf } from './fold.ts'
import {
  type OperationEnd,
  type FoldFixture,
  testUrnOf,
  idOf,
  createResource,
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
  foldedPendingOf,
} from './fold.fixture.ts'

describe('an operation that did not succeed', () => {
  const a = createResource('a', { id: 'old' })
  const begun: OperationEnd = { head: { ...freshHead, attempt: 1 } }

  test.each<[StepOp, string | undefined]>([
    ['create', 'creating'],
    ['create-replacement', 'creating'],
    ['update', 'updating'],
    ['delete', 'deleting'],
    ['delete-replaced', 'deleting'],
    ['discard', 'deleting'],
    ['read', 'reading'],
    ['refresh', undefined],
  ])('a begun or interrupted %s has the pending type %s', (op, type) => {
    const planned = createResource('a', { inputs: { planned: true } })
    const step = createTestOperation(1, 'a', {
      op,
      effect: 'replace',
      old: createBaseReference(0, 'a'),
      state: planned,
    })
    const stateAfter = (end: OperationEnd) =>
      foldFixture({ base: [a], decisions: [createRegistration(step)], ends: [[1, end]] })
    const [, interrupted] = createTestEnd(1, 'interrupted')
    for (const end of [begun, interrupted]) {
      expect(stateAfter(end).resources).toEqual([a])
      expect(stateAfter(end).pending_operations).toEqual(
        type === undefined ? undefined : [{ resource: type === 'deleting' ? a : planned, type }],
      )
    }
  })

  test('a delete of a resource that this deployment created is pending with that resource', () => {
    const step = createTestOperation(2, 'a', {
      op: 'delete',
      effect: 'remove',
      old: createOperationReference(1),
    })
    const fixture: FoldFixture = {
      decisions: [createRegistration(createTestCreate(1, 'a')), createRegistration(step)],
      ends: [createTestSuccess(1, 'a'), createTestEnd(2, 'interrupted')],
    }
    expect(foldFixture(fixture).pending_operations).toEqual([
      { resource: createResource('a', { id: '1' }), type: 'deleting' },
    ])
  })

  test.each<[string, OperationEnd | undefined]>([
    ['has no head', undefined],
    ['received only arrivals', { head: { ...freshHead, arrived: [idOf(9)] } }],
    ['was given back', { head: { ...freshHead, attempt: 2, givenBack: 2 } }],
  ])('an operation that %s has no entries', (_what, end) => {
    const fixture: FoldFixture = {
      decisions: [createRegistration(createTestCreate(1, 'a'))],
      ends: end === undefined ? [] : [[1, end]],
    }
    expect(journalEntriesOf(fixtureInputOf(fixture)).map(entry => entry.kind)).toEqual([
      'secrets-manager',
    ])
    expect(foldFixture(fixture).pending_operations).toBeUndefined()
  })

  test('a failed operation has a begin and a failure entry, and no pending operation', () => {
    const fixture: FoldFixture = {
      decisions: [createRegistration(createTestCreate(1, 'a'))],
      ends: [createTestEnd(1, 'failed')],
    }
    expect(journalEntriesOf(fixtureInputOf(fixture)).map(entry => entry.kind)).toEqual([
      'secrets-manager',
      'begin',
      'failure',
    ])
    expect(foldFixture(fixture).pending_operations).toBeUndefined()
  })

  test('pending creates of the base stay, and its other pending operations do not', () => {
    const pending = [
      { resource: createResource('x'), type: 'creating' },
      { resource: createResource('y'), type: 'updating' },
    ]
    expect(foldedPendingOf({ pending, decisions: [] })).toEqual([['creating', testUrnOf('x')]])
  })
})

describe('the set of usable ends', () => {
  const first = createTestCreate(1, 'a', { releases: [idOf(2)] })
  const second = createTestCreate(2, 'b', { releases: [idOf(3)], needs: 1 })
  const third = createTestCreate(3, 'c', { needs: 1 })
  const decisions = [createRegistration(first, second, third)]
  const allEnds = [createTestSuccess(1, 'a'), createTestSuccess(2, 'b'), createTestSuccess(3, 'c')]

  test('contains the end of an operation if it contains the ends of all operations that it needs', () => {
    expect(foldedResourcesOf({ decisions, ends: allEnds })).toHaveLength(3)
  })

  test.each<[string, [number, OperationEnd][]]>([
    ['is missing', allEnds.slice(1)],
    ['failed', [createTestEnd(1, 'failed'), ...allEnds.slice(1)]],
    [
      'was partially created',
      [createTestEnd(1, 'partial', createResource('a')), ...allEnds.slice(1)],
    ],
    ['was interrupted', [createTestEnd(1, 'interrupted'), ...allEnds.slice(1)]],
  ])('excludes operations that wait for an operation that %s: they are pending', (_what, ends) => {
    const fixture = { decisions, ends }
    const urns = foldedResourcesOf(fixture).map(({ urn }) => urn)
    expect(urns).not.toContain(testUrnOf('b'))
    expect(urns).not.toContain(testUrnOf('c'))
    expect(foldedPendingOf(fixture)).toEqual(
      expect.arrayContaining([
        ['creating', testUrnOf('b')],
        ['creating', testUrnOf('c')],
      ]),
    )
  })

  test('follows dependencies through joins, which have no entries', () => {
    const join = createTestOperation(2, 'b', {
      op: 'join',
      effect: 'none',
      releases: [idOf(3)],
      needs: 1,
    })
    const fixture = {
      decisions: [createRegistration(first, join, third)],
      ends: [createTestEnd(1, 'failed'), createTestSuccess(3, 'c')],
    }
    expect(foldedPendingOf(fixture)).toEqual([['creating', testUrnOf('c')]])
    const succeeded = { ...fixture, ends: [createTestSuccess(1, 'a'), createTestSuccess(3, 'c')] }
    expect(journalEntriesOf(fixtureInputOf(succeeded)).map(entry => entry.operation)).toEqual([
      0, 1, 1, 3, 3,
    ])
  })

  test('excludes outputs of excluded operations', () => {
    const outputs: Decision = {
      kind: 'outputs',
      target: createOperationReference(1),
      state: createResource('a', { outputs: { x: 1 } }),
      operation: idOf(9),
    }
    expect(foldedResourcesOf({ decisions: [...decisions, outputs], ends: [] })).toEqual([])
    expect(
      foldedResourcesOf({ decisions: [...decisions, outputs], ends: [createTestSuccess(1, 'a')] }),
    ).toEqual([outputs.state])
  })
})
