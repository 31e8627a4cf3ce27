import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { cancelArgs, readCheckedState, waitForFourCreates } from './four-creates.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, upArgs } from './exported-state.ts'
import { ctrlC, startOnTerminal } from './terminal.ts'

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('many')
  await initDevStack(sandbox)
})

afterEach(() => sandbox.remove())

const cancelledExit = catalogue.DEPLOYMENT_CANCELLED.exit

test('after Ctrl-C the running operations end and are recorded, and no further one begins', async () => {
  const running = startOnTerminal(sandbox, [...upArgs, '-p', '4'], { COUNT: '12', DELAY: '2500' })
  await waitForFourCreates(sandbox)
  running.press(ctrlC)
  // The creates take 2.5 s, so the answer precedes their ends.
  await waitUntil(() => running.readScreen().includes('Stopping: '), { condition: 'an answer' })
  expect(running.readScreen()).not.toContain('created (')
  expect(await running.done).toBe(cancelledExit)
  expect(running.readScreen()).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await readCheckedState(sandbox)
  expect(state.pending).toEqual([])
  const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
  expect(things.length).toBeGreaterThan(0)
  expect(things.length).toBeLessThanOrEqual(4)
  expect(sandbox.listObjects()).toHaveLength(things.length)
  expect(sandbox.listProcesses()).toEqual([])
  requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '12', DELAY: '0' } }))
})

test('a running deployment is cancelled from another process', async () => {
  // On a busy machine the other command needs seconds to start. No operation may end before that.
  const running = sandbox.start([...upArgs, '-p', '4'], { env: { COUNT: '12', DELAY: '8000' } })
  await waitForFourCreates(sandbox)
  requireSuccess(await sandbox.run(cancelArgs))
  const result = await running.done
  expect(result.exit).toBe(cancelledExit)
  expect(result.err).toContain('error[DEPLOYMENT_CANCELLED]: ')
  const state = await readCheckedState(sandbox)
  expect(state.pending).toEqual([])
  expect(sandbox.listObjects().length).toBeLessThanOrEqual(4)
})
