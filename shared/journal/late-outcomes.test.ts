import { describe, expect, test } from 'vitest'
import type { Urn } from '../names/urn.ts'
import type { DeploymentId, OperationId } from '../records/ids.ts'
import type { LateOutcome } from '../records/late-outcome.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import { applyLateOutcomes } from './late-outcomes.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::p::t:m:T::${name}` as Urn
const providerUrn = 'urn:pulumi:dev::p::pulumi:providers:t::default'
const provider: StoredResource = {
  urn: providerUrn,
  custom: true,
  id: 'p1',
  type: 'pulumi:providers:t',
}
const object = (name: string, id: string, more: object = {}): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  id,
  type: 't:m:T',
  provider: `${providerUrn}::p1`,
  ...more,
})
const late = (name: string, more: Partial<LateOutcome> = {}): LateOutcome => ({
  deployment: 'organization/p/dev/3' as DeploymentId,
  operation: 9 as OperationId,
  attempt: 1,
  urn: urnOf(name),
  state: object(name, `${name}-1`),
  ...more,
})
const pending = (name: string, attempt = 1): StoredOperation => ({
  resource: object(name, ''),
  type: 'creating',
  origin: { deployment: 'organization/p/dev/3', operation: 9, attempt },
})
const state = (
  resources: readonly StoredResource[],
  operations: readonly StoredOperation[] = [],
): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  resources,
  ...(operations.length > 0 ? { pending_operations: operations } : {}),
  metadata: {},
})
const resourcesOf = (after: StoredDeployment): readonly unknown[] =>
  (after.resources ?? []).slice(1).map(({ id, delete: gone }) => [id, gone === true])

describe('what came late', () => {
  test('resolves the pending create that is its own', () => {
    const taken = applyLateOutcomes(state([provider], [pending('a')]), [late('a')])
    expect(resourcesOf(taken.state)).toEqual([['a-1', false]])
    expect(taken.state.pending_operations).toBeUndefined()
    expect(taken.keys).toEqual(['organization/p/dev/3 9 1'])
  })

  test('does not resolve a pending create of another attempt: it is to be deleted', () => {
    const before = state([provider], [pending('a', 2)])
    const taken = applyLateOutcomes(before, [late('a')])
    expect(resourcesOf(taken.state)).toEqual([['a-1', true]])
    expect(taken.state.pending_operations).toEqual(before.pending_operations)
  })

  test('is left when the state has it already', () => {
    const before = state([provider, object('a', 'a-1')])
    const taken = applyLateOutcomes(before, [late('a')])
    expect(taken.state).toBe(before)
    expect(taken.keys).toHaveLength(1)
  })

  test('is to be deleted when the state went on without it', () => {
    const taken = applyLateOutcomes(state([provider, object('a', 'a-2')]), [late('a')])
    expect(resourcesOf(taken.state)).toEqual([
      ['a-2', false],
      ['a-1', true],
    ])
  })

  test('is to be deleted beside the one that it should have replaced', () => {
    const before = state([provider, object('a', 'a-0')], [pending('a')])
    const taken = applyLateOutcomes(before, [late('a')])
    expect(resourcesOf(taken.state)).toEqual([
      ['a-0', false],
      ['a-1', true],
    ])
    expect(taken.state.pending_operations).toBeUndefined()
  })

  test.for(['a-1', 'a-0'])('takes the place of %s, which was deleted for it', id => {
    const before = state([provider, object('a', id, { pendingReplacement: true })], [pending('a')])
    const taken = applyLateOutcomes(before, [late('a')])
    expect(resourcesOf(taken.state)).toEqual([['a-1', false]])
    expect(taken.state.resources?.at(-1)).toEqual(late('a').state)
    expect(taken.state.pending_operations).toBeUndefined()
  })

  test('is to be deleted when nobody waits for what replaces the one that had its id', () => {
    const gone = object('a', 'a-1', { pendingReplacement: true })
    const taken = applyLateOutcomes(state([provider, gone]), [late('a')])
    expect(taken.state.resources?.slice(1)).toEqual([gone, { ...late('a').state, delete: true }])
  })

  test('stays in the inbox when its provider is gone', () => {
    const before = state([])
    expect(applyLateOutcomes(before, [late('a')])).toEqual({
      state: before,
      keys: [],
      messages: [],
    })
  })

  test('taken twice is taken once', () => {
    const once = applyLateOutcomes(state([provider], [pending('a')]), [late('a')])
    expect(applyLateOutcomes(once.state, [late('a')]).state).toBe(once.state)
  })

  test('keeps of its dependencies those that are there', () => {
    const made = object('a', 'a-1', { dependencies: [urnOf('gone'), urnOf('b')] })
    const before = state([provider, object('b', 'b-1')], [pending('a')])
    const taken = applyLateOutcomes(before, [late('a', { state: made })])
    expect(taken.state.resources?.at(-1)?.['dependencies']).toEqual([urnOf('b')])
  })
})
