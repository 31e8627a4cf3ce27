import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { listStateNames, targetUrnOf } from '../target/run-summary.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestDestroyWithUntargetedPendingDelete: an old copy outside of the targets stays', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program = (value: number): Program => createThings({ a: { replace: value }, b: {} })
  await engine.run(program(1))
  cloud.faults.add('delete a-1')
  await engine.run(program(2))
  cloud.faults.clear()
  const testRun = await engine.run(undefined, {
    command: 'destroy',
    targeting: { targets: [targetUrnOf('b')] },
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a', 'a'])
  const statesOfA = (testRun.state.resources ?? []).filter(({ urn }) => urn === targetUrnOf('a'))
  expect(statesOfA.filter(state => state['delete'] === true).map(({ id }) => id)).toEqual(['a-1'])
  const secondRun = await engine.run(undefined, {
    command: 'destroy',
    targeting: { targets: [targetUrnOf('a')] },
  })
  expect(listStateNames(secondRun)).toEqual([])
  expect(cloud.objects.size).toBe(0)
})
