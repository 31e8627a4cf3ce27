import { expect, test } from 'vitest'
import { checkLongCall, checkWhole, generatorsOf } from './function-limit.ts'
import { createPlace, requireSuccess } from './place.ts'
import { initDevStack, upArgs } from './exported-state.ts'

test.concurrent('with 300 resources and a limit of 15 s, every generator makes progress', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const env = { COUNT: '300', DELAY: '1000' }
    const args = [...upArgs, '-p', '6', '--function-limit', '15s']
    const { out } = requireSuccess(await place.run(args, { env }))
    const left = generatorsOf(out)
    expect(left.length, out).toBeGreaterThan(1)
    const endedSoFar = left.map(line => Number(/(\d+) operations ended/.exec(line)?.[1]))
    expect(endedSoFar).toEqual([...new Set(endedSoFar)].toSorted((a, b) => a - b))
    await checkWhole(place, 300)
    const gone = await place.run([
      ...['destroy', '--yes', '--skip-preview', '-s', 'dev', '-p', '6'],
      ...['--function-limit', '15s'],
    ])
    requireSuccess(gone)
    expect(generatorsOf(gone.out).length).toBeGreaterThan(0)
    expect(place.listObjects()).toEqual([])
  } finally {
    place.remove()
  }
}, 300_000)

test.concurrent('a call of 45 s under a limit of 20 s succeeds', () => checkLongCall(45), 300_000)

test.concurrent('a finished command does not wait for its time limit', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const began = performance.now()
    const env = { COUNT: '2', DELAY: '10' }
    requireSuccess(await place.run([...upArgs, '--function-limit', '15m'], { env }))
    expect(performance.now() - began).toBeLessThan(240_000)
  } finally {
    place.remove()
  }
}, 300_000)
