import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess } from './place.ts'
import { initDevStack, lostObjects, readExport, upArgs } from './exported-state.ts'

/** Returns the URN of each create, once per call. */
function listCreates(place: Place): readonly string[] {
  return place.listCalls().flatMap(({ call, urn = '' }) => (call === 'create' ? [urn] : []))
}

/** Returns the messages of generators that handed over, one line each. */
export function generatorsOf(out: string): readonly string[] {
  return out.split('\n').filter(line => /Generator \d+ (?:hands over|parks)/.test(line))
}

/** Checks that each of `count` resources was created once and that none was lost. */
export async function checkWhole(place: Place, count: number): Promise<void> {
  const made = listCreates(place)
  expect(made).toHaveLength(count)
  expect(new Set(made).size).toBe(count)
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  expect(state.pending).toEqual([])
}

/** Checks provider calls of this many seconds under a generator limit of 20 s. */
export async function checkLongCall(seconds: number): Promise<void> {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const env = { COUNT: '2', DELAY: String(seconds * 1000) }
    const { out } = requireSuccess(await place.run([...upArgs, '--function-limit', '20s'], { env }))
    expect(generatorsOf(out).length, out).toBeGreaterThan(0)
    await checkWhole(place, 2)
  } finally {
    place.remove()
  }
}
