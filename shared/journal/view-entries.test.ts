import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import type { ViewOutcome } from '../records/head.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { createViewEntries } from './view-entries.ts'

const owner = { urn: 'o', type: 't', custom: true, id: 'x' } as const satisfies StoredResource
const view = { urn: 'v', type: 't', custom: false, viewOf: 'o' } as const satisfies StoredResource
const base: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  metadata: {},
  resources: [owner, view, { ...view, urn: 'w', delete: true }],
}

const at = { kind: 'base', epoch: 1, index: 1, urn: 'v' as Urn } as const
const old = { at, state: view }
const step = (effect: ViewOutcome['effect'], more: Partial<ViewOutcome> = {}): ViewOutcome => ({
  ...{ urn: 'v' as Urn, type: 't', op: 'update', effect, verdict: 'succeeded', ...more },
})

/** The ends among the entries of some steps. */
const endsOf = (...steps: readonly ViewOutcome[]): readonly unknown[] =>
  createViewEntries(base, 10)
    .publishedEntriesOf(steps)
    .flatMap(({ operation, content }) => (content.kind === 'begin' ? [] : [[operation, content]]))

describe('steps of views in the journal', () => {
  test('each is an operation of its own, above all others', () => {
    expect(endsOf(step('add', { state: view }), step('remove', { old }))).toEqual([
      [10, { kind: 'success', state: view }],
      [11, { kind: 'success', remove: { base: 1 } }],
    ])
  })

  test('a replaced view is the one that later steps mean, and none when it is gone', () => {
    const replaced = step('replace', { old, state: view })
    expect(endsOf(replaced, step('remove', { old }), step('remove', { old }))).toEqual([
      [10, { kind: 'success', state: view, remove: { base: 1 } }],
      [11, { kind: 'success', remove: { operation: 10 } }],
    ])
  })

  test('a copy that is superseded is still the one that is deleted', () => {
    expect(endsOf(step('add-mark', { old, state: view }), step('remove', { old }))).toEqual([
      [10, { kind: 'success', state: view, delete: { base: 1 } }],
      [11, { kind: 'success', remove: { base: 1 } }],
    ])
  })

  test('what failed or only shows leaves nothing', () => {
    expect(endsOf(step('remove', { old, verdict: 'failed' }), step('none', { old }))).toEqual([])
    expect(endsOf(step('swap', { state: view }))).toEqual([])
  })

  test('an owner that goes takes the views of its own copy', () => {
    const entries = createViewEntries(base, 10)
    const left = (one: StoredResource): readonly unknown[] =>
      entries
        .removedEntriesOf(one)
        .flatMap(({ content }) => (content.kind === 'begin' ? [] : [content]))
    expect(left(owner)).toEqual([{ kind: 'success', remove: { base: 1 } }])
    expect(left({ ...owner, delete: true })).toEqual([{ kind: 'success', remove: { base: 2 } }])
    expect(left(owner)).toEqual([])
  })
})
