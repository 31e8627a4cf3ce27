import { describe, expect, test } from 'vitest'
import type { BlobHash } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { StateEffect } from '../records/operation.ts'
import type { StoredResource } from '../state/stored.ts'
import { fold } from './fold.ts'
import {
  type Given,
  urnOf,
  idOf,
  resource,
  on,
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
} from './fold.fixture.ts'

describe('what an end does to the list', () => {
  const [a, b] = [resource('a', { id: 'old' }), resource('b', on('a'))]

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
    const step = operation(1, 'a', { op: 'update', effect, old: inBase(0, 'a') })
    for (const verdict of ['succeeded', 'partial'] as const) {
      const given = {
        base: [a, b],
        decisions: [registration(step)],
        ends: [ended(1, verdict, state)],
      }
      expect(resourcesOf(given)).toEqual(expected)
    }
  })

  test('remove', () => {
    const step = operation(1, 'b', { op: 'delete', effect: 'remove', old: inBase(1, 'b') })
    expect(
      resourcesOf({ base: [a, b], decisions: [registration(step)], ends: [ended(1, 'succeeded')] }),
    ).toEqual([a])
  })

  test.each<StateEffect>(['replace', 'remove'])('%s of what this deployment made', effect => {
    const step = operation(2, 'a', { op: 'update', effect, old: madeBy(1) })
    const end = effect === 'remove' ? ended(2, 'succeeded') : made(2, 'a')
    const given = {
      decisions: [registration(create(1, 'a')), registration(step)],
      ends: [made(1, 'a'), end],
    }
    expect(resourcesOf(given)).toEqual(effect === 'remove' ? [] : [resource('a', { id: '2' })])
  })

  test('marks on what this deployment made', () => {
    const mark = operation(3, 'b', {
      op: 'delete-replaced',
      effect: 'mark-pending',
      old: madeBy(2),
    })
    const replaced = create(4, 'a', {
      op: 'create-replacement',
      effect: 'add-mark',
      old: madeBy(1),
    })
    const given = {
      decisions: [
        registration(create(1, 'a')),
        registration(create(2, 'b')),
        registration(mark, replaced),
      ],
      ends: [made(1, 'a'), made(2, 'b'), ended(3, 'succeeded'), made(4, 'a')],
    }
    expect(resourcesOf(given)).toEqual([
      resource('a', { id: '1', delete: true }),
      resource('b', { id: '2', pendingReplacement: true }),
      resource('a', { id: '4' }),
    ])
  })

  test('what was refreshed can be updated afterwards', () => {
    const refresh = operation(1, 'a', { op: 'refresh', effect: 'swap', old: inBase(1, 'a') })
    const update = operation(2, 'a', { op: 'update', effect: 'replace', old: madeBy(1) })
    const given = {
      base: [resource('z'), resource('a', on('z'))],
      decisions: [registration(refresh), registration(update)],
      ends: [made(1, 'a', on('z')), made(2, 'a', on('z'))],
    }
    expect(resourcesOf(given)).toEqual([resource('z'), resource('a', { id: '2', ...on('z') })])
  })

  test('a refresh that left no outcome removes nothing', () => {
    const refresh = operation(1, 'a', { op: 'refresh', effect: 'swap', old: inBase(0, 'a') })
    const [, end] = ended(1, 'succeeded')
    expect(
      resourcesOf({
        base: [a],
        decisions: [registration(refresh)],
        ends: [[1, { head: end.head }]],
      }),
    ).toEqual([a])
  })
})

describe('decisions', () => {
  test('what the generator settled needs no end', () => {
    const step = operation(1, 'a', { op: 'same', effect: 'replace', old: inBase(0, 'a') })
    const state = resource('a', { protect: true })
    const given: Given = {
      base: [resource('a')],
      decisions: [{ kind: 'settled', operation: step, state, goal: '', sets: {} }],
    }
    expect(resourcesOf(given)).toEqual([state])
  })

  test('pages of a plan are read in their order', () => {
    const pages = new Map([
      ['p', [create(1, 'a')]],
      ['q', [create(2, 'b')]],
    ])
    const hashes = ['p', 'q'] as readonly string[] as readonly BlobHash[]
    const decisions: Decision[] = [{ kind: 'plan', what: 'deletes', pages: hashes, operations: 2 }]
    const ends = [made(1, 'a'), made(2, 'b')]
    expect(resourcesOf({ decisions, ends, pages }).map(({ urn }) => urn)).toEqual([
      urnOf('a'),
      urnOf('b'),
    ])
  })

  test('outputs of what the base has keep its place', () => {
    const state = resource('a', { outputs: { x: 1 } })
    const outputs: Decision = { kind: 'outputs', target: inBase(1, 'a'), state, operation: idOf(1) }
    expect(resourcesOf({ base: [resource('z'), resource('a')], decisions: [outputs] })).toEqual([
      resource('z'),
      state,
    ])
  })

  test.each([0, 7])('a reference to another resource of the base (%i) is refused', index => {
    const step = operation(1, 'a', { op: 'delete', effect: 'remove', old: inBase(index, 'a') })
    expect(() => folded({ base: [resource('z')], decisions: [registration(step)] })).toThrow(
      /the base has not/,
    )
  })
})

describe('the snapshot', () => {
  test('is sorted: what depends on an untouched resource comes after it', () => {
    const given: Given = {
      base: [resource('a')],
      decisions: [registration(create(1, 'b'))],
      ends: [made(1, 'b', on('a'))],
    }
    const result = folded(given)
    expect(result.resources?.map(({ urn }) => urn)).toEqual([urnOf('a'), urnOf('b')])
    expect(result.metadata).toEqual({})
    expect(result.secrets_providers).toEqual({ type: 'passphrase', state: { salt: 's' } })
  })

  test('has normal URNs', () => {
    const step = operation(1, 'new', { op: 'same', effect: 'replace', old: inBase(0, 'old') })
    const given: Given = {
      base: [resource('old'), resource('b', on('old'))],
      decisions: [
        {
          kind: 'settled',
          operation: step,
          state: resource('new', { aliases: [urnOf('old')] }),
          goal: '',
          sets: {},
        },
      ],
    }
    expect(resourcesOf(given)).toEqual([resource('new'), resource('b', on('new'))])
  })

  test('says what is wrong with it, and no longer says what was', () => {
    const input = inputOf({ base: [resource('b', on('gone'))], decisions: [] })
    const broken = fold(input)
    expect(broken.metadata).toMatchObject({
      integrity_error: { version: '3', error: expect.stringMatching(/gone.*is missing/) },
    })
    const step = operation(1, 'b', { op: 'delete', effect: 'remove', old: inBase(0, 'b') })
    const repaired = fold({
      ...inputOf({ decisions: [registration(step)], ends: [ended(1, 'succeeded')] }),
      base: broken,
    })
    expect(repaired.metadata).toEqual({})
  })
})
