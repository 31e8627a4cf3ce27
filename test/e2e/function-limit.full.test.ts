import { expect, test } from 'vitest'
import { createSandbox, requireSuccess } from './sandbox.ts'
import { initDevStack, upArgs } from './exported-state.ts'

test('a finished command does not wait for its time limit', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const startMs = performance.now()
    const env = { COUNT: '2', DELAY: '10' }
    requireSuccess(await sandbox.run([...upArgs, '--function-limit', '15m'], { env }))
    expect(performance.now() - startMs).toBeLessThan(240_000)
  } finally {
    sandbox.remove()
  }
}, 300_000)
