import { afterEach, expect, test } from 'vitest'
import { setResourceFlags } from '../../../shared/state/edits/set-resource-flags.ts'
import { createCloud } from '../cloud.ts'
import type { TestEngine } from '../engine.ts'
import { editStackState, editStackResources, findResource, resourceOpsOf } from '../stack-states.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

async function taint(engine: TestEngine, ...names: string[]): Promise<void> {
  await editStackState(engine, state => {
    const urns = names.map(name => findResource(state, name)?.urn ?? '')
    return setResourceFlags(state, urns, { mark: 'taint', isSet: true }).state
  })
}

test('TestTaintReplacement: a tainted resource is replaced and untainted, and its old object is deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  await taint(engine, 'a')
  const preview = await engine.run(createThings({ a: { v: 1 } }), { dryRun: true })
  expect(resourceOpsOf(preview.events, 'a')).toEqual([
    'create-replacement',
    'replace',
    'delete-replaced',
  ])
  const { state, events } = await engine.run(createThings({ a: { v: 1 } }))
  expect(resourceOpsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
  expect(findResource(state, 'a')).toMatchObject({ id: 'a-2' })
  expect(findResource(state, 'a')).not.toHaveProperty('taint')
})

test('TestTaintMultipleResources: all tainted resources are replaced, and no others', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program = createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } })
  await engine.run(program)
  await taint(engine, 'a', 'c')
  const { state } = await engine.run(program)
  const ids = ['a', 'b', 'c'].map(name => findResource(state, name)?.['id'])
  expect(ids).toEqual(['a-2', 'b-1', 'c-2'])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-2', 'b-1', 'c-2'])
  expect(JSON.stringify(state)).not.toContain('taint')
})

test('TestTaintNoChanges: an equal resource is replaced only if it is tainted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const { events } = await engine.run(createThings({ a: { v: 1 } }))
  expect(resourceOpsOf(events, 'a')).toEqual(['same'])
  await taint(engine, 'a')
  const nextRun = await engine.run(createThings({ a: { v: 1 } }))
  expect(nextRun.result.changes).toMatchObject({ replace: 1 })
  const last = await engine.run(createThings({ a: { v: 1 } }))
  expect(resourceOpsOf(last.events, 'a')).toEqual(['same'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
})

test('TestTaintWithPendingDelete: the taint of a copy that is marked for deletion is ignored', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  cloud.objects.set('a-0', {})
  await editStackResources(engine, resource =>
    resource.urn.endsWith('::a')
      ? [
          { ...resource, taint: true },
          { ...resource, id: 'a-0', delete: true, taint: true },
        ]
      : [resource],
  )
  const { state } = await engine.run(createThings({ a: { v: 1 } }))
  expect(state.resources?.filter(({ urn }) => urn.endsWith('::a'))).toHaveLength(1)
  expect(findResource(state, 'a')).toMatchObject({ id: 'a-2' })
  expect(JSON.stringify(state)).not.toContain('taint')
  expect([...cloud.mutatingCalls].sort()).toEqual([
    'create a',
    'create a',
    'delete a-0',
    'delete a-1',
  ])
})
