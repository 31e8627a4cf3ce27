import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { listStateNames, listNamesByOp, targetUrnOf } from '../target/run-summary.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestDeletedWithTargetedDestroy: a resource that is deleted with a target leaves the state without a provider call', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const a = await registerThing(monitor, 'a', {})
    await registerThing(monitor, 'b', {}, { deletedWith: a.urn })
    await registerThing(monitor, 'c', {})
  })
  const targeting = { targets: [targetUrnOf('a')], targetDependents: true }
  const testRun = await engine.run(undefined, { command: 'destroy', targeting })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'delete')).toEqual(['a', 'b'])
  expect(listStateNames(testRun)).toEqual(['c'])
  expect(cloud.mutatingCalls.filter(line => line.startsWith('delete'))).toEqual(['delete a-1'])
})
