import { afterAll, afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { checkCrash, crashes } from '../crashes.ts'
import type { Program } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { ProcessKilledError, type KillPoint } from '../test-process.ts'
import { removePreparedHomes } from '../resume.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  await engines.close()
})
afterAll(async () => {
  closeProgramFunctions()
  await removePreparedHomes()
})

/**
 * Returns a program that registers `a` with hooks that add their calls to `seen`. If `v` is 0, the
 * program registers only the hooks.
 */
const program =
  (seen: string[], v: number): Program =>
  async monitor => {
    const functions = await openProgramFunctions(monitor)
    const registerHook = async (moment: string): Promise<string[]> => [
      await functions.registerHook(moment, ({ name }) => void seen.push(`${moment} ${name}`)),
    ]
    const all = withHooks({
      beforeCreate: await registerHook('beforeCreate'),
      afterCreate: await registerHook('afterCreate'),
      beforeUpdate: await registerHook('beforeUpdate'),
      afterUpdate: await registerHook('afterUpdate'),
      beforeDelete: await registerHook('beforeDelete'),
      afterDelete: await registerHook('afterDelete'),
    })
    if (v > 0) await registerThing(monitor, 'a', { v }, all)
  }

/**
 * Kills a run that changes `v` of the program from `from` to `to`, and resumes it. Returns the hook
 * calls of both runs, and the provider calls.
 */
async function runKilled(
  from: number,
  to: number,
  kill: KillPoint,
): Promise<{
  readonly first: readonly string[]
  readonly second: readonly string[]
  log: string[]
}> {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(program([], from))
  const [first, second]: [string[], string[]] = [[], []]
  const killed = await engine.run(program(first, to), { kill }).catch((thrown: unknown) => thrown)
  expect(killed).toBeInstanceOf(ProcessKilledError)
  const testRun = await engine.run(program(second, to), { resume: true })
  expect(testRun.result.result).toBe('succeeded')
  return { first, second, log: cloud.mutatingCalls.slice(1) }
}

const killAt = (call: string, when: 'before' | 'after', effect = 1): KillPoint => ({
  call,
  when,
  effect,
})

test.each<[string, KillPoint, readonly string[], readonly string[], number]>([
  // The hook ran, but its result was not recorded.
  [
    'before the record of the first hook',
    killAt('decisionLog.append hooked', 'before'),
    ['before'],
    ['before', 'after'],
    1,
  ],
  [
    'after the record of the first hook',
    killAt('decisionLog.append hooked', 'after'),
    ['before'],
    ['after'],
    1,
  ],
  ['before the call', killAt('provider.update', 'before'), ['before'], ['after'], 1],
  // It is unknown whether the provider received the call, so an update is sent again.
  ['after the call', killAt('provider.update', 'after'), ['before'], ['after'], 2],
  [
    'before the record of the second hook',
    killAt('decisionLog.append hooked', 'before', 2),
    ['before', 'after'],
    ['after'],
    1,
  ],
  [
    'after the record of the second hook',
    killAt('decisionLog.append hooked', 'after', 2),
    ['before', 'after'],
    [],
    1,
  ],
])(
  'an update that is killed %s runs a hook again only if its end was not recorded',
  async (_where, kill, first, second, calls) => {
    const testRun = await runKilled(1, 2, kill)
    const expectedCalls = (moments: readonly string[]) => moments.map(moment => `${moment}Update a`)
    expect(testRun.first).toEqual(expectedCalls(first))
    expect(testRun.second).toEqual(expectedCalls(second))
    expect(testRun.log).toEqual(Array.from({ length: calls }, () => 'update a-1'))
  },
)

test.each<[string, KillPoint, readonly string[], readonly string[]]>([
  [
    'before the record of the first hook',
    killAt('decisionLog.append hooked', 'before'),
    ['before'],
    ['before', 'after'],
  ],
  [
    'after the record of the first hook',
    killAt('decisionLog.append hooked', 'after'),
    ['before'],
    ['after'],
  ],
  [
    'before the record of the second hook',
    killAt('decisionLog.append hooked', 'before', 2),
    ['before', 'after'],
    ['after'],
  ],
  [
    'after the record of the second hook',
    killAt('decisionLog.append hooked', 'after', 2),
    ['before', 'after'],
    [],
  ],
])(
  'a deployment that is killed %s of a delete runs its program again for the hooks',
  async (_where, kill, first, second) => {
    const testRun = await runKilled(1, 0, kill)
    const expectedCalls = (moments: readonly string[]) => moments.map(moment => `${moment}Delete a`)
    expect(testRun.first).toEqual(expectedCalls(first))
    expect(testRun.second).toEqual(expectedCalls(second))
    expect(testRun.log).toEqual(['delete a-1'])
  },
)

const listsOfHooks = new Set(['endHook', 'hookSettled', 'sendAfterHook', 'retryHookedCall'])

test.for(crashes.filter(({ list }) => listsOfHooks.has(list)))(
  'a process that dies $title',
  { timeout: 300_000 },
  checkCrash,
)

test('the message of a failed error hook replaces that of the failed call, even after a kill', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  cloud.faults.add('create a')
  const failingProgram: Program = async monitor => {
    const functions = await openProgramFunctions(monitor)
    const failingHook = await functions.registerErrorHook('fails', () => {
      throw new Error('the hook is broken')
    })
    await registerThing(monitor, 'a', { v: 1 }, withHooks({ onError: [failingHook] }))
  }
  const kill = killAt('decisionLog.append hooked', 'after')
  const killed = await engine.run(failingProgram, { kill }).catch((thrown: unknown) => thrown)
  expect(killed).toBeInstanceOf(ProcessKilledError)
  const { result, events } = await engine.run(failingProgram, { resume: true })
  expect(result.result).toBe('failed')
  const messages = events.flatMap(event =>
    'diagnosticEvent' in event ? [event.diagnosticEvent.message] : [],
  )
  expect(messages.join('\n')).toContain('error hooks execution failed: ')
})
