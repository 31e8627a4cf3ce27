import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { closeFunctions, functionsOf, hooks } from '../functions-of-programs.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(async () => {
  closeFunctions()
  await engines.close()
})

test('TestResourceHooksAfterCreate: it is told the inputs and outputs', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const seen: unknown[] = []
  const ran = await engine.run(async monitor => {
    const functions = await functionsOf(monitor)
    const after = await functions.hook('after', asked => void seen.push(asked))
    await thing(monitor, 'a', { v: 1 }, hooks({ afterCreate: [after] }))
  })
  expect(ran.result.result).toBe('succeeded')
  expect(seen).toMatchObject([
    {
      id: 'a-1',
      name: 'a',
      type: 'test:index:Thing',
      newInputs: { v: 1 },
      newOutputs: { v: 1 },
      oldInputs: undefined,
      oldOutputs: undefined,
      oldOptions: undefined,
    },
  ])
  const state = ran.state.resources?.find(({ urn }) => urn.endsWith('::a'))
  expect(state).toMatchObject({ id: 'a-1', resourceHooks: { AfterCreate: ['after'] } })
})

test('TestResourceHookBeforeCreateError: the step fails, and nobody is called', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const ran = await engine.run(async monitor => {
    const functions = await functionsOf(monitor)
    const before = await functions.hook('before', () => {
      throw new Error('no')
    })
    await thing(monitor, 'a', { v: 1 }, hooks({ beforeCreate: [before] }))
  })
  expect(ran.result.result).toBe('failed')
  expect(cloud.log).toEqual([])
  expect(ran.state.resources?.some(({ urn }) => urn.endsWith('::a'))).toBe(false)
  expect(JSON.stringify(ran.events)).toContain('before hook \\"before\\" failed: no')
})

const deleting =
  (seen: string[], names: readonly string[]): Program =>
  async monitor => {
    const functions = await functionsOf(monitor)
    const beforeDelete = [
      await functions.hook('gone', asked => void seen.push(`before ${asked.id}`)),
    ]
    const afterDelete = [await functions.hook('went', asked => void seen.push(`after ${asked.id}`))]
    for (const name of names)
      await thing(monitor, name, { v: 1 }, hooks({ beforeDelete, afterDelete }))
  }

test('TestResourceHookAfterDelete: it runs when the program has ended', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const seen: string[] = []
  await engine.run(deleting(seen, ['a', 'b']))
  const ran = await engine.run(deleting(seen, ['a']))
  expect(ran.result.result).toBe('succeeded')
  expect(seen).toEqual(['before b-1', 'after b-1'])
  expect(cloud.log).toEqual(['create a', 'create b', 'delete b-1'])
})
