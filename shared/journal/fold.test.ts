import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import { freshHead, type Head, type Outcome, type Verdict } from '../records/head.ts'
import type { BlobHash, EpochMs, OperationId } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { Operation, StateEffect, StateReference, StepOp } from '../records/operation.ts'
import type { Json, StoredDeployment, StoredResource } from '../state/stored.ts'
import { entriesOf, fold } from './fold.ts'
import type { FoldInput } from './fold-input.ts'

type Fields = { readonly [field: string]: Json }

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const idOf = (id: number): OperationId => id as OperationId
const resource = (name: string, fields: Fields = {}): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
})
const on = (...names: string[]): Fields => ({ dependencies: names.map(urnOf) })

const inBase = (index: number, name: string): StateReference => ({
  kind: 'base',
  epoch: 0,
  index,
  urn: urnOf(name),
})
const madeBy = (id: number): StateReference => ({ kind: 'operation', operation: idOf(id) })

function operation(
  id: number,
  name: string,
  given: { op: StepOp; effect: StateEffect } & Partial<Operation>,
): Operation {
  const about = { type: 'a:b:C', provider: '', needs: 0, releases: [], logical: true }
  return { id: idOf(id), urn: urnOf(name), ...about, ...given }
}

const create = (id: number, name: string, given: Partial<Operation> = {}): Operation =>
  operation(id, name, { op: 'create', effect: 'add', state: resource(name), ...given })

const registration = (...operations: Operation[]): Decision => ({
  kind: 'registration',
  urn: operations[0]?.urn ?? urnOf('none'),
  goal: '',
  operations,
  sets: {},
})

interface End {
  readonly head: Head
  readonly outcome?: Outcome
}

function ended(id: number, verdict: Verdict, state?: StoredResource): [number, End] {
  const head: Head = { ...freshHead, attempt: 1, end: { verdict, attempt: 1 } }
  if (verdict === 'interrupted') return [id, { head }]
  const times = { startedAt: 0 as EpochMs, endedAt: 1 as EpochMs }
  const outcome = { operation: idOf(id), attempt: 1, verdict, ...times }
  return [id, { head, outcome: state === undefined ? outcome : { ...outcome, state } }]
}

const made = (id: number, name: string, fields: Fields = {}): [number, End] =>
  ended(id, 'succeeded', resource(name, { id: `${id}`, ...fields }))

interface Given {
  readonly base?: readonly StoredResource[]
  readonly pending?: StoredDeployment['pending_operations']
  readonly decisions: readonly Decision[]
  readonly ends?: readonly [number, End][]
  readonly pages?: ReadonlyMap<string, readonly Operation[]>
}

function inputOf({ base = [], pending = [], decisions, ends = [], pages }: Given): FoldInput {
  const byId = new Map(ends)
  return {
    base: {
      manifest: { time: '', magic: '', version: '' },
      resources: base,
      pending_operations: pending,
      metadata: {},
    },
    decisions,
    page: hash => pages?.get(hash) ?? [],
    end: id => byId.get(id),
    secretsProvider: { type: 'passphrase', state: { salt: 's' } },
    now: '2026-01-01T00:00:00Z',
    version: 'v3.260.0',
  }
}

const folded = (given: Given): StoredDeployment => fold(inputOf(given))
const resourcesOf = (given: Given): readonly StoredResource[] => folded(given).resources ?? []
const pendingOf = (given: Given) =>
  (folded(given).pending_operations ?? []).map(({ type, resource: { urn } }) => [type, urn])

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

describe('decisions', () => {
  test('what the generator settled needs no end', () => {
    const step = operation(1, 'a', { op: 'same', effect: 'replace', old: inBase(0, 'a') })
    const state = resource('a', { protect: true })
    const given: Given = {
      base: [resource('a')],
      decisions: [{ kind: 'settled', operation: step, state }],
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
        { kind: 'settled', operation: step, state: resource('new', { aliases: [urnOf('old')] }) },
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
