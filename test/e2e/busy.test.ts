import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('small')
  await initDevStack(sandbox)
})

afterEach(() => sandbox.remove())

test('a second deployment fails immediately and names the holder; with --wait it runs afterwards', async () => {
  const first = sandbox.start(upArgs, { env: { DELAY: '20000' } })
  await waitUntil(() => sandbox.listCalls().some(({ call }) => call === 'check'), {
    condition: 'the run of the first deployment',
  })
  const waiting = sandbox.start([...upArgs, '--wait'])
  const second = await sandbox.run(upArgs)
  expect(sandbox.listObjects()).toEqual([])
  expectRefused(second, 'STACK_BUSY', [`process ${first.pid} `, 'antichain up'])
  const input = '{"version":3,"deployment":null}'
  const imported = await sandbox.run(['stack', 'import', '-s', 'dev'], { input })
  expectRefused(imported, 'STACK_BUSY', [`process ${first.pid} `])
  for (const args of [
    ['stack', 'rm', 'dev', '--yes', '--force'],
    ['stack', 'rename', 'other', '-s', 'dev'],
  ])
    expectRefused(await sandbox.run(args), 'STACK_BUSY', [
      'the stack is currently locked by deployment 1, which began ',
      ' ago and is held by ',
      `process ${first.pid} `,
    ])
  requireSuccess(await first.done)
  requireSuccess(await waiting.done)
  expect(sandbox.listObjects()).toHaveLength(1)
  expect((await readStackState(sandbox)).resources.map(({ id }) => id)).toContain('thing-1')
  const history = requireSuccess(await sandbox.run(['stack', 'history', '--json', '-s', 'dev'])).out
  const by = process.env['USER'] ?? process.env['LOGNAME'] ?? 'someone'
  expect(JSON.parse(history)).toMatchObject([{ by }, { by }])
})
