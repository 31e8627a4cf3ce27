import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { editStackState } from '../stack-states.ts'
import { errorsOf, diagnosticsOf, statesOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const protection = { protect: true }
const emptyProgram: Program = async () => undefined

test('TestMultipleProtectedDeletes: every protected resource that would be deleted is reported', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    for (const name of ['a', 'b']) await registerThing(monitor, name, {}, protection)
  })
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(emptyProgram, { dryRun })
    expect(testRun.result.result).toBe('failed')
    const errors = errorsOf(testRun)
    for (const name of ['a', 'b'])
      expect(errors.filter(line => line.startsWith(`${name}: `)).join()).toContain(
        'cannot be deleted',
      )
  }
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})

test('TestProtectInheritance: children inherit protection from their parent unless they override it', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(async monitor => {
    const { urn } = await monitor.register({ type: 'my_component', name: 'top', ...protection })
    await registerThing(monitor, 'a', {}, { parent: urn })
    await registerThing(monitor, 'b', {}, { parent: urn, protect: false })
  })
  expect(statesOf(testRun, 'top')).toMatchObject([protection])
  expect(statesOf(testRun, 'a')).toMatchObject([
    { ...protection, parent: statesOf(testRun, 'top')[0]?.urn },
  ])
  expect(statesOf(testRun, 'b')[0]).not.toHaveProperty('protect')
})

test('TestProtectedDeleteChainsWithDuplicateDeletedResources: the dependencies of a protected resource stay, and an old copy of one is deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const { urn } = await registerThing(monitor, 'a', { replace: value })
      await registerThing(monitor, 'b', {}, { ...protection, dependencies: [urn] })
    }
  await engine.run(program(1))
  cloud.faults.add('delete a-1')
  const secondRun = await engine.run(program(2))
  expect(statesOf(secondRun, 'a')).toMatchObject([{ id: 'a-2' }, { id: 'a-1', delete: true }])
  cloud.faults.clear()
  // Pulumi writes unchanged resources again, so old copies are last in its states.
  await editStackState(engine, ({ resources = [], ...rest }) => ({
    ...rest,
    resources: [
      ...resources.filter(({ delete: old }) => old !== true),
      ...resources.filter(({ delete: old }) => old === true),
    ],
  }))
  const testRun = await engine.run(emptyProgram, { command: 'destroy' })
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).join()).toMatch(/resource ".*::b" cannot be deleted/)
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-1', ...protection }])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-2', 'b-1'])
})
