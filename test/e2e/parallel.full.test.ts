import { expect, test } from 'vitest'
import { createPlace, succeeded, until } from './place.ts'
import { initStack, stateOf, up } from './state.ts'

test('two executors run no more at once together than --parallel says', async () => {
  const place = createPlace('many')
  try {
    await initStack(place)
    const env = { COUNT: '12', DELAY: '300', GOLD_ASKED: '1' }
    const serving = [0, 1].map(() => place.start(['serve', '--only', 'executor'], { env }))
    const running = place.start([...up, '--execute', 'elsewhere', '-p', '3'], { env })
    let most = 0
    let isOver = false
    void running.done.then(() => {
      isOver = true
    })
    await until(
      () => {
        // What is answered between the two looks only makes it look like less.
        const asked = place.asked().length
        most = Math.max(most, asked - place.objects().length)
        return isOver
      },
      { what: 'the end', limitMs: 60_000 },
    )
    succeeded(await running.done)
    for (const one of serving) one.kill('SIGINT', 'group')
    await Promise.all(serving.map(({ done }) => done))
    expect(serving.every(one => one.said().includes('running operations'))).toBe(true)
    expect(most).toBe(3)
    expect((await stateOf(place)).pending).toEqual([])
    expect(place.objects()).toHaveLength(12)
  } finally {
    place.remove()
  }
}, 240_000)
