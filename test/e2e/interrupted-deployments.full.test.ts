import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import {
  createSandbox,
  type Sandbox,
  type RunningCommand,
  requireSuccess,
  waitUntil,
} from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let sandbox: Sandbox
const env = { COUNT: '4', DELAY: '60000', GOLD_ASKED: '1' }
const urn = 'urn:pulumi:dev::many::gold:index:Thing::thing-0'

beforeEach(async () => {
  sandbox = createSandbox('many')
  await initDevStack(sandbox)
})

afterEach(() => sandbox.remove())

/** Starts a deployment and waits until the provider has received its first two creates. */
async function startTwoCreates(): Promise<RunningCommand> {
  const running = sandbox.start([...upArgs, '-p', '2'], { env })
  await waitUntil(() => sandbox.listChanges().length === 2, { condition: 'two creates' })
  return running
}

async function kill(running: RunningCommand): Promise<void> {
  running.kill('SIGKILL', 'group')
  await running.done
}

const cancel = ['cancel', '--yes', '-s', 'dev']
const readOutput = async (...args: string[]): Promise<string> => {
  const { out, err } = await sandbox.run(args)
  return out + err
}

test('each command reports a running deployment, and the next step', async () => {
  const running = await startTwoCreates()
  expectRefused(await sandbox.run(['resume', '-s', 'dev']), 'STACK_BUSY', ['is held by'])
  expectRefused(await sandbox.run(['stack', 'rm', '-y', 'dev']), 'STACK_BUSY', [
    'which began',
    'is held by',
    `process ${running.pid} `,
  ])
  expect(await readOutput('state', 'pending', 'ls', '-s', 'dev')).toContain('may still succeed')
  expect(await readOutput('stack', 'ls')).toContain('in progress')
  expect(await readOutput('stack', 'history', '-s', 'dev')).toContain('in progress')
  expect(await readOutput(...cancel)).toContain('Deployment 1 of')
  expect(await readOutput(...cancel)).toContain('is already stopping')
  // A hanging call is abandoned from another terminal.
  expect(await readOutput(...cancel, '--force')).toContain('abandons its running operations')
  expect((await running.done).exit).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  expect(sandbox.listProcesses()).toEqual([])
  expect((await readStackState(sandbox)).pending).toHaveLength(2)
})

test('each command reports a deployment whose process is gone, and the next step', async () => {
  await kill(await startTwoCreates())
  expect(await readOutput('stack', 'ls')).toContain('interrupted')
  expect(await readOutput('stack', 'history', '-s', 'dev')).toContain('interrupted')
  expect(await readOutput('state', 'pending', 'ls', '-s', 'dev')).toContain('1 was interrupted')
  expect(await readOutput('redrive', 'dev')).toContain('antichain resume')
  for (const args of [['stack'], ['stack', 'output']]) {
    const { err } = requireSuccess(await sandbox.run([...args, '-s', 'dev']))
    expect(err).toContain('1 was interrupted. `antichain resume` continues it')
  }
  const removal = await sandbox.run(['stack', 'rm', '-y', 'dev'])
  expectRefused(removal, 'STACK_BUSY', ['was interrupted', 'antichain resume'])
  const cleared = requireSuccess(
    await sandbox.run(['state', 'pending', 'clear', urn, '-y', '-s', 'dev']),
  )
  expect(cleared.err).toContain('closed first, and cannot be resumed')
  const resumed = await sandbox.run(['resume', '-s', 'dev'])
  expectRefused(resumed, 'NOTHING_TO_RESUME', ["stack 'dev' of project 'many'"])
})

test('a deployment that was stopped before its process died is not resumed, and a server closes it', async () => {
  const running = await startTwoCreates()
  requireSuccess(await sandbox.run(cancel))
  await kill(running)
  const resumed = await sandbox.run(['resume', '-s', 'dev'])
  expectRefused(resumed, 'NOTHING_TO_RESUME', [
    'deployment 1 of',
    'was stopped before it was interrupted',
    'only closes it',
  ])
  expect(await readOutput('redrive', 'dev')).not.toContain('antichain resume')
  const serving = sandbox.start(['serve', '--only', 'generator'])
  await waitUntil(() => serving.readOutput().includes('it is now closed'), {
    condition: 'the close',
  })
  serving.kill('SIGINT', 'group')
  requireSuccess(await serving.done)
  expect((await readStackState(sandbox)).pending).toHaveLength(2)
  expect(await readOutput(...cancel)).toContain('No deployment')
})

test('a serving process that is shut down leaves its deployment to the next one and cancels nothing', async () => {
  const env = { COUNT: '12', DELAY: '1500', GOLD_ASKED: '1' }
  const first = sandbox.start(['serve'], { env })
  const running = sandbox.start([...upArgs, '--execute', 'elsewhere', '-p', '2'], { env })
  await waitUntil(() => sandbox.listChanges().length === 2, { condition: 'two creates' })
  await kill(running)
  await waitUntil(() => first.readOutput().includes('Resuming deployment 1'), {
    condition: 'a generator',
  })
  await waitUntil(() => sandbox.listChanges().length >= 4, { condition: 'two more creates' })
  first.kill('SIGTERM', 'group')
  requireSuccess(await first.done)
  expect(first.readOutput()).toContain('hands over, because its process is shutting down')
  expect(sandbox.listObjects().length).toBeLessThan(12)
  const next = sandbox.start(['serve'], { env })
  await waitUntil(() => next.readOutput().includes('Resuming deployment 1'), {
    condition: 'the next generator',
  })
  await waitUntil(() => sandbox.listObjects().length === 12, {
    condition: 'the rest',
    limitMs: 40_000,
  })
  await waitUntil(() => next.readOutput().includes('Duration'), {
    condition: 'the end',
    limitMs: 20_000,
  })
  next.kill('SIGTERM', 'group')
  requireSuccess(await next.done)
  expect((await readStackState(sandbox)).pending).toEqual([])
  expect(sandbox.listChanges()).toHaveLength(12)
}, 300_000)
