import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { resourceStepsOf, createReplaceInput } from '../resource-steps.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestRetainOnDelete: a retained resource leaves the state and stays in the cloud, also when it is replaced', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (replace: number): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', createReplaceInput(replace), {
        retainOnDelete: true,
      }))
  const first = await engine.run(program(1))
  const [, , a] = first.state.resources ?? []
  expect(a).toMatchObject({ id: 'a-1', retainOnDelete: true })
  const second = await engine.run(program(2))
  expect(resourceStepsOf(second.events)).toEqual([
    'create-replacement a',
    'replace a',
    'delete-replaced a',
  ])
  expect(second.state.resources?.map(one => one['id'])).toContain('a-2')
  expect(second.state.resources?.map(one => one['id'])).not.toContain('a-1')
  const third = await engine.run(async () => undefined)
  expect(resourceStepsOf(third.events)).toEqual(['delete a'])
  expect(third.state.resources?.map(one => one.urn.split('::').at(-1))).not.toContain('a')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a'])
  expect([...cloud.objects.keys()]).toEqual(['a-1', 'a-2'])
})
