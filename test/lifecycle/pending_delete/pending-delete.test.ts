import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { editStackResources, resourceOpsOf } from '../stack-states.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Opens a stack with the resource `a` and an old copy of it, which is not deleted yet. */
async function openWithOldCopy() {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  cloud.objects.set('a-0', {})
  await editStackResources(engine, resource =>
    resource.urn.endsWith('::a')
      ? [resource, { ...resource, id: 'a-0', delete: true }]
      : [resource],
  )
  cloud.mutatingCalls.length = 0
  return { cloud, engine }
}

test('TestDestroyWithPendingDelete: both copies of a URN are deleted', async () => {
  const { cloud, engine } = await openWithOldCopy()
  const { state, events } = await engine.run(undefined, { command: 'destroy' })
  expect([...resourceOpsOf(events, 'a')].sort()).toEqual(['delete', 'delete-replaced'])
  expect([...cloud.mutatingCalls].sort()).toEqual(['delete a-0', 'delete a-1'])
  expect(state.resources ?? []).toEqual([])
})

test('TestUpdateWithPendingDelete: the next update deletes old copies and unregistered resources', async () => {
  const { cloud, engine } = await openWithOldCopy()
  const nextRun = await engine.run(createThings({ a: { v: 1 } }))
  expect(resourceOpsOf(nextRun.events, 'a')).toEqual(['same', 'delete-replaced'])
  expect(cloud.mutatingCalls).toEqual(['delete a-0'])
  const other = await openWithOldCopy()
  const { events } = await other.engine.run(createThings({}))
  expect([...resourceOpsOf(events, 'a')].sort()).toEqual(['delete', 'delete-replaced'])
  expect([...other.cloud.mutatingCalls].sort()).toEqual(['delete a-0', 'delete a-1'])
})
