import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { trimmedErrorsOf, resourceUrnOf } from '../components.ts'
import type { Program } from '../engine.ts'
import { resourceStepsOf, createReplaceInput } from '../resource-steps.ts'
import { createEngines, deleteFirst, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** A chain of things in which each is deleted with the previous one. Only the first one changes. */
const createChain =
  (names: readonly string[], replace: number, first: object, otherOptions: object = {}): Program =>
  async monitor => {
    let previousUrn = ''
    for (const name of names) {
      const more = previousUrn === '' ? first : { deletedWith: previousUrn, ...otherOptions }
      previousUrn = (
        await registerThing(
          monitor,
          name,
          previousUrn === '' ? createReplaceInput(replace) : { fixed: 1 },
          more,
        )
      ).urn
    }
  }

test('TestDeletedWithDependentReplacedOnDeleteBeforeReplace: a resource that is deleted with a replaced one is replaced, too', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createChain(['t', 'd'], 1, deleteFirst))
  const { result, state } = await engine.run(createChain(['t', 'd'], 2, deleteFirst))
  expect(result.result).toBe('succeeded')
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete t-1', 'create t', 'create d'])
  const d = state.resources?.find(({ urn }) => urn === resourceUrnOf('d'))
  expect(d).toMatchObject({ id: 'd-2', deletedWith: resourceUrnOf('t') })
})

test('TestDeletedWithTransitiveChain: the replacement extends to the whole chain', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const names = ['t', 'd', 'e']
  await engine.run(createChain(names, 1, deleteFirst))
  const { events } = await engine.run(createChain(names, 2, deleteFirst))
  expect(cloud.mutatingCalls.slice(3)).toEqual(['delete t-1', 'create t', 'create d', 'create e'])
  // Pulumi's list of dependents has `d` at both ends. So Pulumi deletes `d` first.
  expect(resourceStepsOf(events).slice(0, 3)).toEqual([
    'delete-replaced d',
    'delete-replaced e',
    'delete-replaced t',
  ])
})

test('TestDeletedWithDependentReplacedOnCreateBeforeDelete: a resource that is deleted with a replaced one is replaced, even if the replacement is created first', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createChain(['t', 'd'], 1, {}))
  const { events } = await engine.run(createChain(['t', 'd'], 2, {}))
  expect(cloud.mutatingCalls.slice(2)).toEqual(['create t', 'create d', 'delete t-1'])
  expect(resourceStepsOf(events)).toEqual([
    'create-replacement t',
    'replace t',
    'create-replacement d',
    'replace d',
    'delete-replaced d',
    'delete-replaced t',
  ])
})

test('TestDeletedWithAddedSameStepAsReplace: a resource whose deletedWith is added in this deployment is replaced, too', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    await registerThing(monitor, 't', createReplaceInput(1), deleteFirst)
    await registerThing(monitor, 'd', { fixed: 1 })
  })
  const { state } = await engine.run(createChain(['t', 'd'], 2, deleteFirst))
  const d = state.resources?.find(({ urn }) => urn === resourceUrnOf('d'))
  expect(d).toMatchObject({ id: 'd-2', deletedWith: resourceUrnOf('t') })
  // The old state has no `deletedWith`, so the object is deleted by a call of its own.
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete t-1', 'create t', 'create d', 'delete d-1'])
})

test('TestDeletedWithProtectedDependentBlocksReplace: a protected dependent prevents the replacement', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const names = ['t', 'd']
  await engine.run(createChain(names, 1, deleteFirst, { protect: true }))
  const { result, events } = await engine.run(createChain(names, 2, deleteFirst, { protect: true }))
  expect(result.result).toBe('failed')
  expect(trimmedErrorsOf(events).join()).toContain('marked for protection')
  expect(cloud.mutatingCalls).toEqual(['create t', 'create d'])
})
