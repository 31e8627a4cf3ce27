import { describe, expect, test } from 'vitest'
import { freshHead } from '../records/head.ts'
import type { Decision } from '../records/log.ts'
import type { StepOp } from '../records/operation.ts'
import { entriesOf } from './fold.ts'
import {
  type End,
  type Given,
  urnOf,
  idOf,
  resource,
  inBase,
  madeBy,
  operation,
  create,
  registration,
  ended,
  made,
  inputOf,
  folded,
  resourcesOf,
  pendingOf,
} from './fold.fixture.ts'

describe('what has no end', () => {
  const a = resource('a', { id: 'old' })
  const begun: End = { head: { ...freshHead, attempt: 1 } }

  test.each<[StepOp, string | undefined]>([
    ['create', 'creating'],
    ['create-replacement', 'creating'],
    ['update', 'updating'],
    ['delete', 'deleting'],
    ['delete-replaced', 'deleting'],
    ['discard', 'deleting'],
    ['read', 'reading'],
    ['refresh', undefined],
  ])('%s is pending as %s', (op, type) => {
    const planned = resource('a', { inputs: { planned: true } })
    const step = operation(1, 'a', { op, effect: 'replace', old: inBase(0, 'a'), state: planned })
    const found = (end: End) =>
      folded({ base: [a], decisions: [registration(step)], ends: [[1, end]] })
    const [, interrupted] = ended(1, 'interrupted')
    for (const end of [begun, interrupted]) {
      expect(found(end).resources).toEqual([a])
      expect(found(end).pending_operations).toEqual(
        type === undefined ? undefined : [{ resource: type === 'deleting' ? a : planned, type }],
      )
    }
  })

  test('a delete of what this deployment made is pending with what was made', () => {
    const step = operation(2, 'a', { op: 'delete', effect: 'remove', old: madeBy(1) })
    const given: Given = {
      decisions: [registration(create(1, 'a')), registration(step)],
      ends: [made(1, 'a'), ended(2, 'interrupted')],
    }
    expect(folded(given).pending_operations).toEqual([
      { resource: resource('a', { id: '1' }), type: 'deleting' },
    ])
  })

  test.each<[string, End | undefined]>([
    ['nobody touched', undefined],
    ['only arrivals touched', { head: { ...freshHead, arrived: [idOf(9)] } }],
    ['was given back', { head: { ...freshHead, attempt: 2, givenBack: 2 } }],
  ])('what %s is not there', (_what, end) => {
    const given: Given = {
      decisions: [registration(create(1, 'a'))],
      ends: end === undefined ? [] : [[1, end]],
    }
    expect(entriesOf(inputOf(given)).map(entry => entry.kind)).toEqual(['secrets-manager'])
    expect(folded(given).pending_operations).toBeUndefined()
  })

  test('what failed leaves begin and failure, and no pending operation', () => {
    const given: Given = { decisions: [registration(create(1, 'a'))], ends: [ended(1, 'failed')] }
    expect(entriesOf(inputOf(given)).map(entry => entry.kind)).toEqual([
      'secrets-manager',
      'begin',
      'failure',
    ])
    expect(folded(given).pending_operations).toBeUndefined()
  })

  test('creates that the base has pending stay', () => {
    const pending = [
      { resource: resource('x'), type: 'creating' },
      { resource: resource('y'), type: 'updating' },
    ]
    expect(pendingOf({ pending, decisions: [] })).toEqual([['creating', urnOf('x')]])
  })
})

describe('the closed set', () => {
  const first = create(1, 'a', { releases: [idOf(2)] })
  const second = create(2, 'b', { releases: [idOf(3)], needs: 1 })
  const third = create(3, 'c', { needs: 1 })
  const decisions = [registration(first, second, third)]
  const all = [made(1, 'a'), made(2, 'b'), made(3, 'c')]

  test('holds every end whose needs it holds', () => {
    expect(resourcesOf({ decisions, ends: all })).toHaveLength(3)
  })

  test.each<[string, [number, End][]]>([
    ['is not seen', all.slice(1)],
    ['failed', [ended(1, 'failed'), ...all.slice(1)]],
    ['was made in part', [ended(1, 'partial', resource('a')), ...all.slice(1)]],
    ['was interrupted', [ended(1, 'interrupted'), ...all.slice(1)]],
  ])('does not hold what waited for one that %s: it is pending', (_what, ends) => {
    const given = { decisions, ends }
    const names = resourcesOf(given).map(({ urn }) => urn)
    expect(names).not.toContain(urnOf('b'))
    expect(names).not.toContain(urnOf('c'))
    expect(pendingOf(given)).toEqual(
      expect.arrayContaining([
        ['creating', urnOf('b')],
        ['creating', urnOf('c')],
      ]),
    )
  })

  test('goes through joins, which have no entries', () => {
    const join = operation(2, 'b', { op: 'join', effect: 'none', releases: [idOf(3)], needs: 1 })
    const given = {
      decisions: [registration(first, join, third)],
      ends: [ended(1, 'failed'), made(3, 'c')],
    }
    expect(pendingOf(given)).toEqual([['creating', urnOf('c')]])
    const whole = { ...given, ends: [made(1, 'a'), made(3, 'c')] }
    expect(entriesOf(inputOf(whole)).map(entry => entry.operation)).toEqual([0, 1, 1, 3, 3])
  })

  test('does not hold outputs of what it does not hold', () => {
    const outputs: Decision = {
      kind: 'outputs',
      target: madeBy(1),
      state: resource('a', { outputs: { x: 1 } }),
      operation: idOf(9),
    }
    expect(resourcesOf({ decisions: [...decisions, outputs], ends: [] })).toEqual([])
    expect(resourcesOf({ decisions: [...decisions, outputs], ends: [made(1, 'a')] })).toEqual([
      outputs.state,
    ])
  })
})
