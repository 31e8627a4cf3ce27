import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import type { Program } from './engine.ts'
import { createEngines, getTestStack, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Returns a program that waits after its first resource until `release` is called. */
function createGatedProgram() {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 })
    reached.resolve()
    await gate.promise
    await registerThing(monitor, 'b', { v: 1 })
  }
  return { program, reached: reached.promise, release: gate.resolve }
}

test('a deposed generator decides nothing more and does not stop its successor', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const [first, second] = [createGatedProgram(), createGatedProgram()]
  const deposed = engine.run(first.program).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  await first.reached
  // The process only seemed to be dead. Another one resumes the deployment meanwhile.
  const resumed = engine.run(second.program, { resume: true })
  await second.reached
  first.release()
  expect(await deposed).toMatchObject({ code: 'DEPLOYMENT_TAKEN_OVER' })
  const { current } = await getTestStack(engine.platform)
  if (current === '') throw new Error('the resumed deployment has ended')
  expect(await engine.platform.control.read(current)).toMatchObject({ stop: 'none' })
  second.release()
  expect((await resumed).result).toMatchObject({ result: 'succeeded', pending: [] })
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})
