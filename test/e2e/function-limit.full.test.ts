import { expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, succeeded } from './place.ts'
import { initStack, lostObjects, readExport, up } from './state.ts'

/** How often each resource was made. */
function creates(place: Place): readonly string[] {
  return place.calls().flatMap(({ call, urn = '' }) => (call === 'create' ? [urn] : []))
}

/** What generators that left said, one line each. */
function generatorsOf(out: string): readonly string[] {
  return out.split('\n').filter(line => /Generator \d+ (?:leaves|has nothing)/.test(line))
}

async function checkWhole(place: Place, count: number): Promise<void> {
  const made = creates(place)
  expect(made).toHaveLength(count)
  expect(new Set(made).size).toBe(count)
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  expect(state.pending).toEqual([])
}

test.concurrent('300 resources under a limit of 15 s: every generator makes progress', async () => {
  const place = createPlace('many')
  try {
    await initStack(place)
    const env = { COUNT: '300', DELAY: '1000' }
    const words = [...up, '-p', '6', '--function-limit', '15s']
    const { out } = succeeded(await place.run(words, { env }))
    const left = generatorsOf(out)
    expect(left.length, out).toBeGreaterThan(1)
    const endedSoFar = left.map(line => Number(/(\d+) operations ended/.exec(line)?.[1]))
    expect(endedSoFar).toEqual([...new Set(endedSoFar)].toSorted((a, b) => a - b))
    await checkWhole(place, 300)
    const gone = await place.run([
      ...['destroy', '--yes', '--skip-preview', '-s', 'dev', '-p', '6'],
      ...['--function-limit', '15s'],
    ])
    succeeded(gone)
    expect(generatorsOf(gone.out).length).toBeGreaterThan(0)
    expect(place.objects()).toEqual([])
  } finally {
    place.remove()
  }
}, 300_000)

test.concurrent('a call of three minutes under a limit of 20 s ends well', async () => {
  const place = createPlace('many')
  try {
    await initStack(place)
    const env = { COUNT: '2', DELAY: '180000' }
    const { out } = succeeded(await place.run([...up, '--function-limit', '20s'], { env }))
    expect(generatorsOf(out).length, out).toBeGreaterThan(0)
    await checkWhole(place, 2)
  } finally {
    place.remove()
  }
}, 400_000)

test.concurrent('a command that is done does not wait for the end of its limit', async () => {
  const place = createPlace('many')
  try {
    await initStack(place)
    const began = performance.now()
    const env = { COUNT: '2', DELAY: '10' }
    succeeded(await place.run([...up, '--function-limit', '15m'], { env }))
    expect(performance.now() - began).toBeLessThan(240_000)
  } finally {
    place.remove()
  }
}, 300_000)
