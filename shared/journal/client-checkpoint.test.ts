import { describe, expect, test } from 'vitest'
import type { BlobHash } from '../records/ids.ts'
import { completeCheckpoint, findCheckpoint, lacksReferencedParts } from './client-checkpoint.ts'

const checkpoint = (snapshot: string, sequenceNumber?: number) => ({
  kind: 'client-checkpoint' as const,
  snapshot: snapshot as BlobHash,
  ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
})

describe('findCheckpoint', () => {
  test('returns the highest number, and the later one of equal numbers', () => {
    expect(findCheckpoint([])).toBeUndefined()
    expect(findCheckpoint([checkpoint('a', 1), checkpoint('b', 2)])).toBe('b')
    expect(findCheckpoint([checkpoint('b', 2), checkpoint('a', 1)])).toBe('b')
    expect(findCheckpoint([checkpoint('a', 2), checkpoint('b', 2)])).toBe('b')
    expect(findCheckpoint([checkpoint('a', 2), checkpoint('b')])).toBe('b')
  })
})

describe('completeCheckpoint', () => {
  const manifest = { time: '', magic: '', version: '' }
  const resource = { urn: 'u', custom: false, type: 't', extensionRef: 'e', snippetID: 's' }
  const base = { manifest, metadata: {}, snippets: ['s'], extensions: { e: 1 } }

  test('adds the extensions and snippets that clients leave out', () => {
    const lacking = { manifest, metadata: {}, resources: [resource] }
    expect(lacksReferencedParts(lacking)).toBe(true)
    const completed = completeCheckpoint(lacking, base)
    expect(completed).toEqual({ ...lacking, snippets: ['s'], extensions: { e: 1 } })
    expect(lacksReferencedParts(completed)).toBe(false)
    expect(lacksReferencedParts({ manifest, metadata: {} })).toBe(false)
  })

  test('keeps the extensions and snippets that a checkpoint has', () => {
    const own = { manifest, metadata: {}, snippets: ['o'], extensions: { o: 1 } }
    expect(completeCheckpoint(own, base)).toEqual(own)
  })
})
