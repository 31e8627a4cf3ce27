import { expect, test } from 'vitest'
import { createPlace, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

test('two executors together run no more operations at once than --parallel allows', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const env = { COUNT: '12', DELAY: '300', GOLD_ASKED: '1' }
    const serving = [0, 1].map(() => place.start(['serve', '--only', 'executor'], { env }))
    const running = place.start([...upArgs, '--execute', 'elsewhere', '-p', '3'], { env })
    let most = 0
    let isOver = false
    void running.done.then(() => {
      isOver = true
    })
    await waitUntil(
      () => {
        // A response between the two reads only lowers the count.
        const changes = place.listChanges().length
        most = Math.max(most, changes - place.listObjects().length)
        return isOver
      },
      { what: 'the end', limitMs: 60_000 },
    )
    requireSuccess(await running.done)
    for (const one of serving) one.kill('SIGINT', 'group')
    await Promise.all(serving.map(({ done }) => done))
    expect(serving.every(one => one.readOutput().includes('running operations'))).toBe(true)
    expect(most).toBe(3)
    expect((await readStackState(place)).pending).toEqual([])
    expect(place.listObjects()).toHaveLength(12)
  } finally {
    place.remove()
  }
}, 240_000)
