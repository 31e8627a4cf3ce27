import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

/**
 * Returns a program of things with hooks before and after their create and delete. The hooks add
 * their calls to `seen`.
 */
const program =
  (seen: string[], count: number): Program =>
  async monitor => {
    const functions = await openProgramFunctions(monitor)
    const registerHook = async (moment: string): Promise<string[]> => [
      await functions.registerHook(moment, ({ name }) => void seen.push(`${moment} ${name}`)),
    ]
    const allHooks = withHooks({
      beforeCreate: await registerHook('beforeCreate'),
      afterCreate: await registerHook('afterCreate'),
      beforeDelete: await registerHook('beforeDelete'),
      afterDelete: await registerHook('afterDelete'),
    })
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        registerThing(monitor, `n${index}`, { v: 1 }, allHooks),
      ),
    )
  }

test('successive generators continue to serve hooks, during the program and after it', async () => {
  // With calls of 400 ms, two at a time, 12 calls take longer than one generator run may.
  const cloud = createCloud(400)
  const engine = await engines.open(cloud)
  const seen: string[] = []
  const options = { functionLimitMs: 2_500, parallel: 2 }
  const firstRun = await engine.run(program(seen, 12), options)
  expect(firstRun.result.result).toBe('succeeded')
  const deleteRun = await engine.run(program(seen, 0), options)
  expect(deleteRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toHaveLength(24)
  // Each hook runs at least once: a generator that ends during a hook leaves it to the next one.
  const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
  for (const moment of ['beforeCreate', 'afterCreate', 'beforeDelete', 'afterDelete'])
    expect(new Set(seen.filter(hookCall => hookCall.startsWith(`${moment} `)))).toEqual(
      new Set(names.map(name => `${moment} ${name}`)),
    )
  // A generator run reports its hand-over by a message such as 'Generator 1 hands over, …'.
  const handOverCounts = [firstRun, deleteRun].map(
    ({ events }) =>
      events.filter(
        event =>
          'diagnosticEvent' in event && event.diagnosticEvent.message.startsWith('Generator '),
      ).length,
  )
  expect(
    handOverCounts.every(count => count > 0),
    String(handOverCounts),
  ).toBe(true)
}, 240_000)
