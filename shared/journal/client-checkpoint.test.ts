import { describe, expect, test } from 'vitest'
import type { BlobHash } from '../records/ids.ts'
import type { ClientStep } from '../records/client-decision.ts'
import type { Decision } from '../records/log.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { completeCheckpoint, findCheckpoint } from './client-checkpoint.ts'

const checkpointOf = (snapshot: string, sequenceNumber?: number) => ({
  kind: 'client-checkpoint' as const,
  snapshot: snapshot as BlobHash,
  ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
})

describe('findCheckpoint', () => {
  test('returns the checkpoint with the highest number, and the later of two with equal numbers', () => {
    const find = (...decisions: Decision[]) => findCheckpoint(decisions)?.snapshot
    expect(find()).toBeUndefined()
    expect(find(checkpointOf('a', 1), checkpointOf('b', 2))).toBe('b')
    expect(find(checkpointOf('b', 2), checkpointOf('a', 1))).toBe('b')
    expect(find(checkpointOf('a', 2), checkpointOf('b', 2))).toBe('b')
    expect(find(checkpointOf('a', 2), checkpointOf('b'))).toBe('b')
  })
})

const manifest = { time: '', magic: '', version: '' }
const empty: StoredDeployment = { manifest, metadata: {} }
const type = 'gold:index:Thing'
const resourceOf = (urn: string, fields: object = {}) => ({ urn, custom: true, type, ...fields })
const stepOf = (
  phase: ClientStep['phase'],
  sequence: number,
  urn: string,
  oldId?: string,
): ClientStep => ({
  phase,
  sequence,
  resource: resourceOf(urn),
  ...(oldId === undefined ? {} : { oldId }),
})
const stepsOf = (...steps: ClientStep[]): Decision => ({ kind: 'client-steps', steps })

describe('completeCheckpoint', () => {
  const resource = resourceOf('u', { extensionRef: 'e', snippetID: 's' })
  const base = { ...empty, snippets: ['s'], extensions: { e: 1 } }

  test('adds the extensions and snippets that clients leave out', () => {
    const lacking = { ...empty, resources: [resource] }
    const completed = completeCheckpoint(lacking, base, [])
    expect(completed).toEqual({ ...lacking, snippets: ['s'], extensions: { e: 1 } })
    expect(completeCheckpoint(empty, base, [])).toEqual(empty)
  })

  test('keeps the extensions and snippets that a checkpoint has', () => {
    const own = { ...empty, resources: [resource], snippets: ['o'], extensions: { o: 1 } }
    expect(completeCheckpoint(own, base, [])).toEqual(own)
  })

  test('adds the pending creates of the base and of the reported steps', () => {
    const baseCreate = { resource: resourceOf('before'), type: 'creating' }
    const pending = [baseCreate, { resource: resourceOf('gone'), type: 'deleting' }]
    const decisions = [
      stepsOf(stepOf('end', 4, 'b'), stepOf('begin', 1, 'a')),
      stepsOf(stepOf('begin', 3, 'b'), stepOf('begin', 1, 'a')),
    ]
    const completed = completeCheckpoint(
      empty,
      { ...empty, pending_operations: pending },
      decisions,
    )
    expect(completed.pending_operations).toEqual([
      baseCreate,
      { resource: resourceOf('a'), type: 'creating' },
    ])
    const own = { ...empty, pending_operations: pending }
    expect(completeCheckpoint(own, empty, decisions)).toEqual(own)
  })

  test.each<[string, readonly StoredResource[], string | undefined, boolean]>([
    ['a created resource', [resourceOf('a', { id: '1' })], undefined, false],
    ['a replacement whose old resource is unchanged', [resourceOf('a', { id: '1' })], '1', true],
    ['a replacement with a new id', [resourceOf('a', { id: '2' })], '1', false],
    [
      'a replacement beside its old copy',
      [resourceOf('a', { id: '2' }), resourceOf('a', { id: '1', delete: true })],
      '1',
      false,
    ],
    [
      'a resource with a pending replacement',
      [resourceOf('a', { id: '2', pendingReplacement: true })],
      '1',
      true,
    ],
  ])('reports whether the create of %s is still pending', (_, resources, oldId, isPending) => {
    const decisions = [stepsOf(stepOf('begin', 1, 'a', oldId))]
    const completed = completeCheckpoint({ ...empty, resources }, empty, decisions)
    expect(completed.pending_operations?.length ?? 0).toBe(isPending ? 1 : 0)
  })

  test('adds no pending create if the client reported success or failure at its end', () => {
    const begun = stepsOf(stepOf('begin', 1, 'a'))
    for (const [result, count] of [
      ['succeeded', 0],
      ['failed', 0],
      ['cancelled', 1],
      ['interrupted', 1],
    ] as const) {
      const completed = completeCheckpoint(empty, empty, [begun, { kind: 'closing', result }])
      expect([result, completed.pending_operations?.length ?? 0]).toEqual([result, count])
    }
  })
})
