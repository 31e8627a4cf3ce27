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
const createObject = (name: string, id: string, more: object = {}): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  id,
  type: 't:m:T',
  provider: `${providerUrn}::p1`,
  ...more,
})
const createLate = (name: string, more: Partial<LateOutcome> = {}): LateOutcome => ({
  deployment: 'organization/p/dev/3' as DeploymentId,
  operation: 9 as OperationId,
  attempt: 1,
  urn: urnOf(name),
  state: createObject(name, `${name}-1`),
  ...more,
})
const createPending = (name: string, attempt = 1): StoredOperation => ({
  resource: createObject(name, ''),
  type: 'creating',
  origin: { deployment: 'organization/p/dev/3', operation: 9, attempt },
})
const stateOf = (
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

describe('a late outcome', () => {
  test('resolves the pending create of its own attempt', () => {
    const result = applyLateOutcomes(stateOf([provider], [createPending('a')]), [createLate('a')])
    expect(resourcesOf(result.state)).toEqual([['a-1', false]])
    expect(result.state.pending_operations).toBeUndefined()
    expect(result.keys).toEqual(['organization/p/dev/3 9 1'])
  })

  test('of another attempt does not resolve a pending create and is marked for deletion', () => {
    const before = stateOf([provider], [createPending('a', 2)])
    const result = applyLateOutcomes(before, [createLate('a')])
    expect(resourcesOf(result.state)).toEqual([['a-1', true]])
    expect(result.state.pending_operations).toEqual(before.pending_operations)
  })

  test('is ignored when the state already contains its resource', () => {
    const before = stateOf([provider, createObject('a', 'a-1')])
    const result = applyLateOutcomes(before, [createLate('a')])
    expect(result.state).toBe(before)
    expect(result.keys).toHaveLength(1)
  })

  test('is marked for deletion when the state already has a newer resource', () => {
    const before = stateOf([provider, createObject('a', 'a-2')])
    const result = applyLateOutcomes(before, [createLate('a')])
    expect(resourcesOf(result.state)).toEqual([
      ['a-2', false],
      ['a-1', true],
    ])
  })

  test('is marked for deletion beside the resource that it was meant to replace', () => {
    const before = stateOf([provider, createObject('a', 'a-0')], [createPending('a')])
    const result = applyLateOutcomes(before, [createLate('a')])
    expect(resourcesOf(result.state)).toEqual([
      ['a-0', false],
      ['a-1', true],
    ])
    expect(result.state.pending_operations).toBeUndefined()
  })

  test.for(['a-1', 'a-0'])('replaces %s, which was deleted before the replacement', id => {
    const before = stateOf(
      [provider, createObject('a', id, { pendingReplacement: true })],
      [createPending('a')],
    )
    const result = applyLateOutcomes(before, [createLate('a')])
    expect(resourcesOf(result.state)).toEqual([['a-1', false]])
    expect(result.state.resources?.at(-1)).toEqual(createLate('a').state)
    expect(result.state.pending_operations).toBeUndefined()
  })

  test('is marked for deletion when the replaced resource has the same id, but no create is pending', () => {
    const gone = createObject('a', 'a-1', { pendingReplacement: true })
    const result = applyLateOutcomes(stateOf([provider, gone]), [createLate('a')])
    expect(result.state.resources?.slice(1)).toEqual([
      gone,
      { ...createLate('a').state, delete: true },
    ])
  })

  test('stays in the inbox when its provider is gone', () => {
    const before = stateOf([])
    expect(applyLateOutcomes(before, [createLate('a')])).toEqual({
      state: before,
      keys: [],
      messages: [],
    })
  })

  test('that is applied twice changes the state once', () => {
    const once = applyLateOutcomes(stateOf([provider], [createPending('a')]), [createLate('a')])
    expect(applyLateOutcomes(once.state, [createLate('a')]).state).toBe(once.state)
  })

  test('keeps only the dependencies that still exist', () => {
    const lateState = createObject('a', 'a-1', { dependencies: [urnOf('gone'), urnOf('b')] })
    const before = stateOf([provider, createObject('b', 'b-1')], [createPending('a')])
    const result = applyLateOutcomes(before, [createLate('a', { state: lateState })])
    expect(result.state.resources?.at(-1)?.['dependencies']).toEqual([urnOf('b')])
  })
})
