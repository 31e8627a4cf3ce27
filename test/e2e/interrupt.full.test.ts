import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { cancelArgs, readCheckedState, waitForFourCreates } from './four-creates.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('many')
  await initDevStack(sandbox)
})

afterEach(() => sandbox.remove())

const cancelledExit = catalogue.DEPLOYMENT_CANCELLED.exit

test('a second Ctrl-C abandons the running operations, and the next run reports how to resolve them', async () => {
  const running = startOnTerminal(sandbox, [...upArgs, '-p', '4'], { COUNT: '12', DELAY: '60000' })
  await waitForFourCreates(sandbox)
  running.press(ctrlC)
  await new Promise(done => setTimeout(done, 300))
  running.press(ctrlC)
  expect(await running.done).toBe(cancelledExit)
  await waitUntil(() => sandbox.listProcesses().length === 0, {
    condition: 'the end of all child processes',
    limitMs: 3_000,
  })
  const state = await readCheckedState(sandbox)
  expect(state.pending).toHaveLength(4)
  expect(state.pending.every(({ type }) => type === 'creating')).toBe(true)
  const next = requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '12', DELAY: '0' } }))
  for (const { name } of state.pending) expect(next.out + next.err).toContain(name)
  expect(next.out + next.err).toContain('state pending import')
})

test('cancel closes a dead deployment, and its running creates become pending operations', async () => {
  const running = sandbox.start([...upArgs, '-p', '4'], { env: { COUNT: '12', DELAY: '60000' } })
  await waitForFourCreates(sandbox)
  running.kill('SIGKILL', 'group')
  await running.done
  expect(requireSuccess(await sandbox.run(cancelArgs)).err).toContain('was cancelled')
  expect((await readCheckedState(sandbox)).pending).toHaveLength(4)
  expect(requireSuccess(await sandbox.run(cancelArgs)).err).toContain('No deployment')
  expect((await readStackState(sandbox)).pending).toHaveLength(4)
})
