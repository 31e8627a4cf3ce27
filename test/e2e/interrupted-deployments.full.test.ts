import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { createPlace, type Place, type RunningCommand, requireSuccess, waitUntil } from './place.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let place: Place
const env = { COUNT: '4', DELAY: '60000', GOLD_ASKED: '1' }
const urn = 'urn:pulumi:dev::many::gold:index:Thing::thing-0'

beforeEach(async () => {
  place = createPlace('many')
  await initDevStack(place)
})

afterEach(() => place.remove())

/** Starts a deployment and waits until the provider has received its first two creates. */
async function startTwoCreates(): Promise<RunningCommand> {
  const running = place.start([...upArgs, '-p', '2'], { env })
  await waitUntil(() => place.listChanges().length === 2, { what: 'two creates' })
  return running
}

async function kill(running: RunningCommand): Promise<void> {
  running.kill('SIGKILL', 'group')
  await running.done
}

const cancel = ['cancel', '--yes', '-s', 'dev']
const readOutput = async (...args: string[]): Promise<string> => {
  const { out, err } = await place.run(args)
  return out + err
}

test('each command reports a running deployment, and the next step', async () => {
  const running = await startTwoCreates()
  expectRefused(await place.run(['resume', '-s', 'dev']), 'STACK_BUSY', ['is held by'])
  expectRefused(await place.run(['stack', 'rm', '-y', 'dev']), 'STACK_BUSY', ['is running'])
  expect(await readOutput('state', 'pending', 'ls', '-s', 'dev')).toContain('may still succeed')
  expect(await readOutput('stack', 'ls')).toContain('in progress')
  expect(await readOutput('stack', 'history', '-s', 'dev')).toContain('in progress')
  expect(await readOutput(...cancel)).toContain('Deployment 1 of')
  expect(await readOutput(...cancel)).toContain('is already stopping')
  // A hanging call is abandoned from another terminal.
  expect(await readOutput(...cancel, '--force')).toContain('abandons its running operations')
  expect((await running.done).exit).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  expect(place.listProcesses()).toEqual([])
  expect((await readStackState(place)).pending).toHaveLength(2)
})

test('each command reports a deployment whose process is gone, and the next step', async () => {
  await kill(await startTwoCreates())
  expect(await readOutput('stack', 'ls')).toContain('interrupted')
  expect(await readOutput('stack', 'history', '-s', 'dev')).toContain('interrupted')
  expect(await readOutput('state', 'pending', 'ls', '-s', 'dev')).toContain('1 was interrupted')
  expect(await readOutput('redrive', 'dev')).toContain('antichain resume')
  for (const args of [['stack'], ['stack', 'output']]) {
    const { err } = requireSuccess(await place.run([...args, '-s', 'dev']))
    expect(err).toContain('1 was interrupted. `antichain resume` continues it')
  }
  const removal = await place.run(['stack', 'rm', '-y', 'dev'])
  expectRefused(removal, 'STACK_BUSY', ['was interrupted', 'antichain resume'])
  const cleared = requireSuccess(
    await place.run(['state', 'pending', 'clear', urn, '-y', '-s', 'dev']),
  )
  expect(cleared.err).toContain('closed first, and cannot be resumed')
  const resumed = await place.run(['resume', '-s', 'dev'])
  expectRefused(resumed, 'NOTHING_TO_RESUME', ["stack 'dev' of project 'many'"])
})

test('one that is stopping before it died is not recommended for a resume, and is closed by who serves', async () => {
  const running = await startTwoCreates()
  requireSuccess(await place.run(cancel))
  await kill(running)
  const resumed = await place.run(['resume', '-s', 'dev'])
  expectRefused(resumed, 'NOTHING_TO_RESUME', [
    'deployment 1 of',
    'was stopped before it was interrupted',
    'only closes it',
  ])
  expect(await readOutput('redrive', 'dev')).not.toContain('antichain resume')
  const serving = place.start(['serve', '--only', 'generator'])
  await waitUntil(() => serving.readOutput().includes('it is now closed'), { what: 'the close' })
  serving.kill('SIGINT', 'group')
  requireSuccess(await serving.done)
  expect((await readStackState(place)).pending).toHaveLength(2)
  expect(await readOutput(...cancel)).toContain('No deployment')
})

test('a serving process that is shut down leaves its deployment to the next one and cancels nothing', async () => {
  const env = { COUNT: '12', DELAY: '1500', GOLD_ASKED: '1' }
  const first = place.start(['serve'], { env })
  const running = place.start([...upArgs, '--execute', 'elsewhere', '-p', '2'], { env })
  await waitUntil(() => place.listChanges().length === 2, { what: 'two creates' })
  await kill(running)
  await waitUntil(() => first.readOutput().includes('Resuming deployment 1'), {
    what: 'a generator',
  })
  await waitUntil(() => place.listChanges().length >= 4, { what: 'two more creates' })
  first.kill('SIGTERM', 'group')
  requireSuccess(await first.done)
  expect(first.readOutput()).toContain('hands over, because its process is shutting down')
  expect(place.listObjects().length).toBeLessThan(12)
  const next = place.start(['serve'], { env })
  await waitUntil(() => next.readOutput().includes('Resuming deployment 1'), {
    what: 'the next generator',
  })
  await waitUntil(() => place.listObjects().length === 12, { what: 'the rest', limitMs: 40_000 })
  await waitUntil(() => next.readOutput().includes('Duration'), {
    what: 'the end',
    limitMs: 20_000,
  })
  next.kill('SIGTERM', 'group')
  requireSuccess(await next.done)
  expect((await readStackState(place)).pending).toEqual([])
  expect(place.listChanges()).toHaveLength(12)
}, 300_000)
