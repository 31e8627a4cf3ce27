import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createSets, reduceSets } from './reduce-sets.ts'

const [a, b] = ['urn:a' as Urn, 'urn:b' as Urn]

describe('reduceSets', () => {
  test('adds members to the set of their name', () => {
    const sets = createSets()
    reduceSets(sets, {
      registeredUrns: [a],
      deleted: [b],
      condemnedIndices: [3],
      dependentKeys: [[b, ['k']]],
    })
    expect([...sets.registeredUrns, ...sets.deletedUrns, ...sets.condemnedIndices]).toEqual([
      a,
      b,
      3,
    ])
    expect(sets.dependentKeys.get(b)).toEqual(['k'])
  })

  test('records an alias in both directions', () => {
    const sets = createSets()
    reduceSets(sets, { aliased: [[a, b]] })
    expect(sets.aliasingUrns.get(a)).toBe(b)
    expect(sets.formerUrns.get(b)).toBe(a)
  })

  test('removes before it adds, so that a moved member comes last', () => {
    const sets = createSets()
    reduceSets(sets, { handledUrns: [a, b] })
    reduceSets(sets, { removed: { handledUrns: [a] }, handledUrns: [a] })
    expect([...sets.handledUrns]).toEqual([b, a])
  })

  test('resolves a pending delete when it has ended', async () => {
    const sets = createSets()
    reduceSets(sets, { startedDeletes: [a] })
    const ended = sets.pendingDeletes.get(a)?.promise.then(() => 'ended')
    reduceSets(sets, { endedDeletes: [a, b] })
    await expect(ended).resolves.toBe('ended')
  })
})
