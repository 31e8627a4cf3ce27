import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import type { Program } from './engine.ts'
import { createEngines, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const initialProgram: Program = async monitor => {
  await registerThing(monitor, 'a', { v: 1 })
  await registerThing(monitor, 'b', { v: 1 })
}
const changedProgram: Program = async monitor => {
  await registerThing(monitor, 'a', { v: 2 })
}

test('every call that the store refuses once is retried, and the deployment succeeds', async () => {
  const cloud = createCloud(0)
  const engine = await engines.open(cloud)
  await engine.run(initialProgram)
  const { effects } = await engine.run(changedProgram)
  const names = new Set(effects.filter(name => !/^(?:provider|events|hints)\./.test(name)))
  expect(names.size).toBeGreaterThan(12)
  for (const call of names) {
    await engine.run(initialProgram)
    const testRun = await engine.run(changedProgram, { kill: { call, effect: 1, when: 'refused' } })
    expect(testRun.result.result, call).toBe('succeeded')
    expect(testRun.effects.filter(name => name === call).length, call).toBeGreaterThan(1)
    expect(testRun.state.resources?.filter(({ type }) => type === 'test:index:Thing')).toHaveLength(
      1,
    )
    const errors = testRun.events.filter(
      event => 'diagnosticEvent' in event && event.diagnosticEvent.severity === 'error',
    )
    expect(errors, call).toEqual([])
  }
}, 240_000)
