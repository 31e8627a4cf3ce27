import { expect, test } from 'vitest'
import { createSandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

test('two executors together run no more operations at the same time than --parallel allows', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const env = { COUNT: '12', DELAY: '300', GOLD_ASKED: '1' }
    const serving = [0, 1].map(() => sandbox.start(['serve', '--only', 'executor'], { env }))
    const running = sandbox.start([...upArgs, '--execute', 'elsewhere', '-p', '3'], { env })
    let most = 0
    let isOver = false
    void running.done.then(() => {
      isOver = true
    })
    await waitUntil(
      () => {
        // A response between the two reads only lowers the count.
        const changes = sandbox.listChanges().length
        most = Math.max(most, changes - sandbox.listObjects().length)
        return isOver
      },
      { condition: 'the end', limitMs: 60_000 },
    )
    requireSuccess(await running.done)
    for (const command of serving) command.kill('SIGINT', 'group')
    await Promise.all(serving.map(({ done }) => done))
    expect(serving.every(command => command.readOutput().includes('running operations'))).toBe(true)
    expect(most).toBe(3)
    expect((await readStackState(sandbox)).pending).toEqual([])
    expect(sandbox.listObjects()).toHaveLength(12)
  } finally {
    sandbox.remove()
  }
}, 240_000)
