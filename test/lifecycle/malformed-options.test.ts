import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import { createEngines, registerThing } from './register-thing.ts'
import { errorsOf } from './run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('an invalid path in replaceOnChanges is an error of the resource at its first diff', async () => {
  const engine = await engines.open(createCloud())
  const runWithPath = (v: number, path: string) =>
    engine.run(async monitor => {
      await registerThing(monitor, 'a', { v }, { replaceOnChanges: [path] })
    })
  expect((await runWithPath(1, 'b[')).result.result).toBe('succeeded')
  const testRun = await runWithPath(2, 'b[')
  expect(testRun.result.result).toBe('failed')
  expect(errorsOf(testRun)).toEqual(["a: 'b[' is not a property path: a bracket is not closed"])
  expect(testRun.events.some(event => 'summaryEvent' in event)).toBe(true)
  expect((await runWithPath(2, 'b')).result.result).toBe('succeeded')
})

test.each([
  [{ hideDiffs: ['b['] }, "'b[' is not a property path"],
  [{ version: 'banana' }, 'parse package version banana'],
  [{ version: 'v1.0.0' }, 'parse package version v1.0.0'],
])('a registration with %o is refused before any call', async (options, message) => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  let refusal: unknown
  const testRun = await engine.run(async monitor => {
    refusal = await registerThing(monitor, 'a', { v: 1 }, options).catch(
      (thrown: unknown) => thrown,
    )
  })
  expect(String(refusal)).toContain(message)
  expect(cloud.mutatingCalls).toEqual([])
  expect(JSON.stringify(testRun.state)).not.toContain('banana')
})
