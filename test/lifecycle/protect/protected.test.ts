import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { edited } from '../states.ts'
import { errorsOf, saidBy, statesOf } from '../told.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const kept = { protect: true }
const nothing: Program = async () => undefined

test('TestMultipleProtectedDeletes: each resource that must not be deleted is told', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    for (const name of ['a', 'b']) await thing(monitor, name, {}, kept)
  })
  for (const dryRun of [true, false]) {
    const ran = await engine.run(nothing, { dryRun })
    expect(ran.result.result).toBe('failed')
    const told = errorsOf(ran)
    for (const name of ['a', 'b'])
      expect(told.filter(line => line.startsWith(`${name}: `)).join()).toContain(
        'cannot be deleted',
      )
  }
  expect(cloud.log).toEqual(['create a', 'create b'])
})

test('TestProtectInheritance: children are protected with their parent, unless they say otherwise', async () => {
  const engine = await engines.of(createCloud())
  const ran = await engine.run(async monitor => {
    const { urn } = await monitor.register({ type: 'my_component', name: 'top', ...kept })
    await thing(monitor, 'a', {}, { parent: urn })
    await thing(monitor, 'b', {}, { parent: urn, protect: false })
  })
  expect(statesOf(ran, 'top')).toMatchObject([kept])
  expect(statesOf(ran, 'a')).toMatchObject([{ ...kept, parent: statesOf(ran, 'top')[0]?.urn }])
  expect(statesOf(ran, 'b')[0]).not.toHaveProperty('protect')
})

test('TestProtectedDeleteChainsWithDuplicateDeletedResources: what a protected resource needs stays, an old copy of it goes', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const { urn } = await thing(monitor, 'a', { replace: value })
      await thing(monitor, 'b', {}, { ...kept, dependencies: [urn] })
    }
  await engine.run(program(1))
  cloud.faults.add('delete a-1')
  const left = await engine.run(program(2))
  expect(statesOf(left, 'a')).toMatchObject([{ id: 'a-2' }, { id: 'a-1', delete: true }])
  cloud.faults.clear()
  // Pulumi writes what is unchanged anew, and so old copies stand last.
  await edited(engine, ({ resources = [], ...rest }) => ({
    ...rest,
    resources: [
      ...resources.filter(({ delete: old }) => old !== true),
      ...resources.filter(({ delete: old }) => old === true),
    ],
  }))
  const ran = await engine.run(nothing, { command: 'destroy' })
  expect(ran.result.result).toBe('failed')
  expect(saidBy(ran).join()).toMatch(/resource ".*::b" cannot be deleted/)
  expect(statesOf(ran, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(ran, 'b')).toMatchObject([{ id: 'b-1', ...kept }])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-2', 'b-1'])
})
