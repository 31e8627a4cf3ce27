import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { createPlace, type Place, type RunningCommand, succeeded, until } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, stateOf, up } from './state.ts'

let place: Place
const env = { COUNT: '4', DELAY: '60000', GOLD_ASKED: '1' }
const urn = 'urn:pulumi:dev::many::gold:index:Thing::thing-0'

beforeEach(async () => {
  place = createPlace('many')
  await initStack(place)
})

afterEach(() => place.remove())

/** A deployment whose first two creates are with the provider. */
async function twoRun(): Promise<RunningCommand> {
  const running = place.start([...up, '-p', '2'], { env })
  await until(() => place.asked().length === 2, { what: 'two creates' })
  return running
}

async function kill(running: RunningCommand): Promise<void> {
  running.kill('SIGKILL', 'group')
  await running.done
}

const cancel = ['cancel', '--yes', '-s', 'dev']
const said = async (...words: string[]): Promise<string> => {
  const { out, err } = await place.run(words)
  return out + err
}

test('of a deployment that runs, each command says that, and what to do', async () => {
  const running = await twoRun()
  expectRefused(await place.run(['resume', '-s', 'dev']), 'STACK_BUSY', ['was not interrupted'])
  expectRefused(await place.run(['stack', 'rm', '-y', 'dev']), 'STACK_BUSY', ['is under way'])
  expect(await said('state', 'pending', 'ls', '-s', 'dev')).toContain('may end well')
  expect(await said('stack', 'ls')).toContain('in progress')
  expect(await said('stack', 'history', '-s', 'dev')).toContain('in progress')
  expect(await said(...cancel)).toContain('Deployment 1 of')
  expect(await said(...cancel)).toContain('had been told to stop before')
  // What hangs is abandoned from another terminal.
  expect(await said(...cancel, '--force')).toContain('abandons what runs')
  expect((await running.done).exit).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  expect(place.processes()).toEqual([])
  expect((await stateOf(place)).pending).toHaveLength(2)
})

test('of a deployment whose process is gone, each command says that, and what to do', async () => {
  await kill(await twoRun())
  expect(await said('stack', 'ls')).toContain('interrupted')
  expect(await said('stack', 'history', '-s', 'dev')).toContain('interrupted')
  expect(await said('state', 'pending', 'ls', '-s', 'dev')).toContain('1 was interrupted')
  expect(await said('redrive', 'dev')).toContain('antichain resume')
  for (const words of [['stack'], ['stack', 'output']]) {
    const { err } = succeeded(await place.run([...words, '-s', 'dev']))
    expect(err).toContain('1 was interrupted. `antichain resume` goes on with it')
  }
  const removal = await place.run(['stack', 'rm', '-y', 'dev'])
  expectRefused(removal, 'STACK_BUSY', ['was interrupted', 'antichain resume'])
  const cleared = succeeded(await place.run(['state', 'pending', 'clear', urn, '-y', '-s', 'dev']))
  expect(cleared.err).toContain('closed first, and cannot be resumed')
  const resumed = await place.run(['resume', '-s', 'dev'])
  expectRefused(resumed, 'NOTHING_TO_RESUME', ["stack 'dev' of project 'many'"])
})

test('one that was told to stop before it died is not recommended for a resume, and is closed by who serves', async () => {
  const running = await twoRun()
  succeeded(await place.run(cancel))
  await kill(running)
  const resumed = await place.run(['resume', '-s', 'dev'])
  expectRefused(resumed, 'NOTHING_TO_RESUME', ['deployment 1 of', 'told to stop', 'only closes it'])
  expect(await said('redrive', 'dev')).not.toContain('antichain resume')
  const serving = place.start(['serve', '--only', 'generator'])
  await until(() => serving.said().includes('it is closed'), { what: 'the close' })
  serving.kill('SIGINT', 'group')
  succeeded(await serving.done)
  expect((await stateOf(place)).pending).toHaveLength(2)
  expect(await said(...cancel)).toContain('No deployment')
})

test('who serves and is told to end leaves what it leads to the next, and cancels nothing', async () => {
  const env = { COUNT: '12', DELAY: '1500', GOLD_ASKED: '1' }
  const first = place.start(['serve'], { env })
  const running = place.start([...up, '--execute', 'elsewhere', '-p', '2'], { env })
  await until(() => place.asked().length === 2, { what: 'two creates' })
  await kill(running)
  await until(() => first.said().includes('Resuming deployment 1'), { what: 'a generator' })
  await until(() => place.asked().length >= 4, { what: 'two more creates' })
  first.kill('SIGTERM', 'group')
  succeeded(await first.done)
  expect(first.said()).toContain('leaves, for its process ends')
  expect(place.objects().length).toBeLessThan(12)
  const next = place.start(['serve'], { env })
  await until(() => next.said().includes('Resuming deployment 1'), { what: 'the next generator' })
  await until(() => place.objects().length === 12, { what: 'the rest', limitMs: 40_000 })
  await until(() => next.said().includes('Duration'), { what: 'the end', limitMs: 20_000 })
  next.kill('SIGTERM', 'group')
  succeeded(await next.done)
  expect((await stateOf(place)).pending).toEqual([])
  expect(place.asked()).toHaveLength(12)
}, 300_000)
