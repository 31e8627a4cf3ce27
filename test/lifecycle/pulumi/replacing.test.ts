import { afterEach, expect, test } from 'vitest'
import type { DeleteRequest } from '../../../proto/gen/pulumi/provider.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { editStackResources } from '../stack-states.ts'
import { errorsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, deleteFirst, registerThing, withDependency } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const emptyProgram: Program = async () => undefined
const createOneThing =
  (value: string, protect: boolean): Program =>
  async monitor =>
    void (await registerThing(monitor, 'a', { replace: value }, { protect }))

test('TestProtect: a protected resource is neither replaced nor deleted until its protection is removed', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const urn = 'urn:pulumi:dev::life::test:index:Thing::a'
  await engine.run(createOneThing('bar', true))
  for (const dryRun of [true, false]) {
    const refused = await engine.run(createOneThing('baz', true), { dryRun })
    expect(refused.result.result).toBe('failed')
    // The rest of the message is a hint, which names the commands of Antichain.
    expect(errorsOf(refused)[0]).toContain(
      `a: unable to replace resource "${urn}"\nas it is currently marked for protection.`,
    )
  }
  for (const dryRun of [true, false]) {
    const refused = await engine.run(emptyProgram, { dryRun })
    expect(refused.result.result).toBe('failed')
    expect(errorsOf(refused)[0]?.replace('Preview failed: ', '')).toContain(
      `a: resource "${urn}" cannot be deleted\nbecause it is protected.`,
    )
    expect(statesOf(refused, 'a')).toMatchObject([{ id: 'a-1', protect: true }])
  }
  expect(cloud.mutatingCalls).toEqual(['create a'])
  // The protection is removed in the deployment that replaces the resource.
  const unprotected = await engine.run(createOneThing('baz', false))
  expect(unprotected.result.result).toBe('succeeded')
  expect(statesOf(unprotected, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(unprotected, 'a')[0]).not.toHaveProperty('protect')
  const nextRun = await engine.run(createOneThing('baz', true))
  expect(statesOf(nextRun, 'a')).toMatchObject([{ id: 'a-2', protect: true }])
  // After `state unprotect`, the resource is replaced although the program still protects it.
  await editStackResources(engine, resource => [{ ...resource, protect: false }])
  const testRun = await engine.run(createOneThing('daz', true))
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-3', protect: true }])
  expect(cloud.mutatingCalls.filter(call => call.startsWith('delete'))).toEqual([
    'delete a-1',
    'delete a-2',
  ])
})

test('TestDeletedWith: a resource that is deleted with another one has no delete call', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (replace: string): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { replace })
      const b = await registerThing(monitor, 'b', { replace }, { deletedWith: a.urn })
      await registerThing(monitor, 'c', { replace }, { deletedWith: b.urn })
    }
  await engine.run(program('bar'))
  const replaced = await engine.run(program('baz'))
  expect(replaced.result.result).toBe('succeeded')
  for (const name of ['a', 'b', 'c'])
    expect(statesOf(replaced, name)).toMatchObject([{ id: `${name}-2` }])
  const emptyRun = await engine.run(emptyProgram)
  expect(emptyRun.result.result).toBe('succeeded')
  for (const name of ['a', 'b', 'c']) expect(statesOf(emptyRun, name)).toEqual([])
  const deletes = cloud.mutatingCalls.filter(call => call.startsWith('delete'))
  expect(deletes).toEqual(['delete a-1', 'delete a-2'])
})

test('TestReplaceWithAndPropertyChange: two reasons cause one replacement', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: string): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { replace: `${value} a` })
      await registerThing(monitor, 'b', { replace: `${value} b` }, { replaceWith: [a.urn] })
    }
  await engine.run(program('first'))
  const testRun = await engine.run(program('other'))
  expect(testRun.result.result).toBe('succeeded')
  for (const name of ['a', 'b'])
    expect(statesOf(testRun, name)).toMatchObject([{ id: `${name}-2` }])
  expect([...cloud.mutatingCalls].sort()).toEqual([
    'create a',
    'create a',
    'create b',
    'create b',
    'delete a-1',
    'delete b-1',
  ])
})

/** Creates a cloud that refuses to delete an object that another one uses. */
function createStrictCloud(): Cloud {
  const cloud = createCloud()
  const remove = (request: DeleteRequest) => {
    const users = [...cloud.objects].filter(
      ([id, object]) => id !== request.id && Object.values(object).includes(request.id),
    )
    if (users.length > 0) throw new Error(`cannot delete ${request.id} used by ${users[0]?.[0]}`)
    return cloud.script.delete?.(request as never)
  }
  return { ...cloud, script: { ...cloud.script, delete: remove } }
}

/**
 * Returns a program in which `b` uses the id of `a`, so a replacement of `a` also replaces `b`.
 * Another `replaceValue` replaces `a`.
 */
const createDependentPair =
  (replaceValue: string, more: object = {}, frob = 'b'): Program =>
  async monitor => {
    const { urn, id } = await registerThing(monitor, 'a', { replace: replaceValue }, more)
    await registerThing(monitor, 'b', { replace: `${id}`, parent: id, frob }, withDependency(urn))
  }

test('TestPendingDeleteOrder: the old copy of an interrupted replacement is deleted after its users', async () => {
  const cloud = createStrictCloud()
  const engine = await engines.open(cloud)
  await engine.run(createDependentPair('bar'))
  cloud.faults.add('create b')
  const failed = await engine.run(createDependentPair('baz'))
  expect(failed.result.result).toBe('failed')
  expect(statesOf(failed, 'a')).toMatchObject([{ id: 'a-2' }, { id: 'a-1', delete: true }])
  cloud.faults.clear()
  const testRun = await engine.run(createDependentPair('baz'))
  expect(errorsOf(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-2' }])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-2', 'b-2'])
})

test('TestPendingDeleteReplacement: old copies of dependents are deleted before a resource that is deleted before its replacement', async () => {
  const cloud = createStrictCloud()
  const diff = cloud.script.diff
  if (diff === undefined) throw new Error('the cloud has no diff')
  const frobOf = ({ frob }: Record<string, unknown> = {}) => frob
  // Another value of `frob` replaces, too.
  const script = {
    ...cloud.script,
    diff: (request: { oldInputs?: Record<string, unknown>; news?: Record<string, unknown> }) => {
      const providerDiff = diff(request as never) as { replaces: string[] }
      const replaces = frobOf(request.oldInputs) === frobOf(request.news) ? [] : ['frob']
      return { ...providerDiff, replaces: [...providerDiff.replaces, ...replaces] }
    },
  }
  const engine = await engines.open({ ...cloud, script })
  await engine.run(createDependentPair('bar', deleteFirst, 'active'))
  cloud.faults.add('delete b-1')
  const failed = await engine.run(createDependentPair('bar', deleteFirst, 'inactive'))
  expect(failed.result.result).toBe('failed')
  expect(statesOf(failed, 'a')).toMatchObject([{ id: 'a-1' }])
  expect(statesOf(failed, 'b')).toMatchObject([{ id: 'b-2' }, { id: 'b-1', delete: true }])
  cloud.faults.clear()
  const testRun = await engine.run(createDependentPair('baz', deleteFirst, 'inactive'))
  expect(errorsOf(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2' }])
  expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-3' }])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-2', 'b-3'])
  expect(stepsOf(testRun).filter(step => step.startsWith('replace'))).toEqual([
    'replace a',
    'replace b',
  ])
})
