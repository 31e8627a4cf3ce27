import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import type { ViewOutcome } from '../records/head.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { createViewEntryFactory } from './view-entries.ts'

const owner = { urn: 'o', type: 't', custom: true, id: 'x' } as const satisfies StoredResource
const view = { urn: 'v', type: 't', custom: false, viewOf: 'o' } as const satisfies StoredResource
const base: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  metadata: {},
  resources: [owner, view, { ...view, urn: 'w', delete: true }],
}

const target = { kind: 'base', epoch: 1, index: 1, urn: 'v' as Urn } as const
const old = { at: target, state: view }
const stepOf = (effect: ViewOutcome['effect'], more: Partial<ViewOutcome> = {}): ViewOutcome => ({
  urn: 'v' as Urn,
  type: 't',
  op: 'update',
  effect,
  verdict: 'succeeded',
  ...more,
})

/** Returns the end entries of some view steps. */
const endsOf = (...steps: readonly ViewOutcome[]): readonly unknown[] =>
  createViewEntryFactory(base, 10)
    .reportedViewEntriesOf(steps)
    .flatMap(({ operation, content }) => (content.kind === 'begin' ? [] : [[operation, content]]))

describe('view steps in the journal', () => {
  test('each step has its own operation, numbered above all others', () => {
    expect(endsOf(stepOf('add', { state: view }), stepOf('remove', { old }))).toEqual([
      [10, { kind: 'success', state: view }],
      [11, { kind: 'success', remove: { base: 1 } }],
    ])
  })

  test('a later step refers to the operation that replaced its view, and leaves no entry once the view is deleted', () => {
    const replaced = stepOf('replace', { old, state: view })
    expect(endsOf(replaced, stepOf('remove', { old }), stepOf('remove', { old }))).toEqual([
      [10, { kind: 'success', state: view, remove: { base: 1 } }],
      [11, { kind: 'success', remove: { operation: 10 } }],
    ])
  })

  test('the delete of a marked copy of a view removes that copy, and not the newer view', () => {
    expect(endsOf(stepOf('add-mark', { old, state: view }), stepOf('remove', { old }))).toEqual([
      [10, { kind: 'success', state: view, delete: { base: 1 } }],
      [11, { kind: 'success', remove: { base: 1 } }],
    ])
  })

  test('failed steps, display-only steps and the refresh of an absent view leave no entries', () => {
    const failed = stepOf('remove', { old, verdict: 'failed' })
    expect(endsOf(failed, stepOf('none', { old }))).toEqual([])
    expect(endsOf(stepOf('swap', { state: view }))).toEqual([])
  })

  test('the delete of an owner removes the views of the same copy, once', () => {
    const entries = createViewEntryFactory(base, 10)
    const entriesOf = (ownerState: StoredResource): readonly unknown[] =>
      entries
        .remainingViewEntriesOf(ownerState)
        .flatMap(({ content }) => (content.kind === 'begin' ? [] : [content]))
    expect(entriesOf(owner)).toEqual([{ kind: 'success', remove: { base: 1 } }])
    expect(entriesOf({ ...owner, delete: true })).toEqual([
      { kind: 'success', remove: { base: 2 } },
    ])
    expect(entriesOf(owner)).toEqual([])
  })
})
