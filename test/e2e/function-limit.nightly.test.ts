import { expect, test } from 'vitest'
import { checkLongCall, checkCreatedOnce, handOverMessagesOf } from './function-limit.ts'
import { createSandbox, requireSuccess } from './sandbox.ts'
import { initDevStack, upArgs } from './exported-state.ts'

test.concurrent('with 300 resources and a limit of 15 s, every generator makes progress', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const env = { COUNT: '300', DELAY: '1000' }
    const args = [...upArgs, '-p', '6', '--function-limit', '15s']
    const { out } = requireSuccess(await sandbox.run(args, { env }))
    const handOverMessages = handOverMessagesOf(out)
    expect(handOverMessages.length, out).toBeGreaterThan(1)
    const endedSoFar = handOverMessages.map(line =>
      Number(/(\d+) operations ended/.exec(line)?.[1]),
    )
    expect(endedSoFar).toEqual([...new Set(endedSoFar)].toSorted((a, b) => a - b))
    await checkCreatedOnce(sandbox, 300)
    const destroyed = await sandbox.run([
      ...['destroy', '--yes', '--skip-preview', '-s', 'dev', '-p', '6'],
      ...['--function-limit', '15s'],
    ])
    requireSuccess(destroyed)
    expect(handOverMessagesOf(destroyed.out).length).toBeGreaterThan(0)
    expect(sandbox.listObjects()).toEqual([])
  } finally {
    sandbox.remove()
  }
}, 300_000)

test.concurrent(
  'a call of three minutes under a limit of 20 s succeeds',
  () => checkLongCall(180),
  400_000,
)
