import { afterEach, expect, test } from 'vitest'
import { createBuiltinProvider } from '../../../shared/providers/builtin/builtin-provider.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { emptyMap } from '../../../shared/values/value.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { editStackState, findResource, resourceOpsOf } from '../stack-states.ts'
import { createEngines } from '../register-thing.ts'
import { setResourceFlags } from '../../../shared/state/edits/set-resource-flags.ts'

const engines = createEngines()
afterEach(() => engines.close())

const createStash =
  (input: unknown, onStash: (object: unknown) => void): Program =>
  async monitor => {
    const type = 'pulumi:index:Stash'
    const { object } = await monitor.register({ type, name: 's', custom: true, object: { input } })
    onStash(object)
  }

test('TestStash: the output keeps the first input, and a replacement uses the new one', async () => {
  const engine = await engines.open(createCloud())
  const seen: unknown[] = []
  const note = (object: unknown): void => void seen.push(object)
  const preview = await engine.run(createStash('first', note), { dryRun: true })
  expect(resourceOpsOf(preview.events, 's')).toEqual(['create'])
  const first = await engine.run(createStash('first', note))
  const second = await engine.run(createStash('second', note))
  expect(resourceOpsOf(second.events, 's')).toEqual(['update'])
  const third = await engine.run(createStash('second', note))
  expect(resourceOpsOf(third.events, 's')).toEqual(['same'])
  expect(seen).toEqual([
    { input: 'first', output: 'first' },
    { input: 'first', output: 'first' },
    { input: 'second', output: 'first' },
    { input: 'second', output: 'first' },
  ])
  const id = findResource(first.state, 's')?.['id']
  expect(id).toMatch(/^[\da-f-]{36}$/)
  expect(findResource(second.state, 's')?.['id']).toBe(id)
  const refreshed = await engine.run(undefined, { command: 'refresh' })
  const outputs = { input: 'second', output: 'first' }
  expect(findResource(refreshed.state, 's')).toMatchObject({ id, outputs })
  expect(refreshed.result.hasChanges).toBe(false)
  await editStackState(engine, state => {
    const urn = findResource(state, 's')?.urn ?? ''
    return setResourceFlags(state, [urn], { mark: 'taint', isSet: true }).state
  })
  const { state } = await engine.run(createStash('third', note))
  expect(seen.at(-1)).toEqual({ input: 'third', output: 'third' })
  expect(findResource(state, 's')?.['id']).not.toBe(id)
  const destroyRun = await engine.run(undefined, { command: 'destroy' })
  expect(destroyRun.state.resources ?? []).toEqual([])
})

test('a stash refuses unknown properties', async () => {
  const engine = await engines.open(createCloud())
  const wrongProgram: Program = async monitor => {
    const type = 'pulumi:index:Stash'
    await monitor.register({ type, name: 's', custom: true, object: { input: 1, other: 2 } })
  }
  const { result, state } = await engine.run(wrongProgram)
  expect(result.result).toBe('failed')
  expect(findResource(state, 's')).toBeUndefined()
})

test('TestStashImportError: a stash without input cannot be read', async () => {
  const provider = createBuiltinProvider({
    readOutputs: async () => emptyMap,
    readResources: async () => emptyMap,
    uuid: () => '',
    warn: () => undefined,
  })
  const urn = 'urn:pulumi:dev::life::pulumi:index:Stash::s' as Urn
  const request = { urn, name: 's', type: 'pulumi:index:Stash', id: 'x', timeoutSeconds: 0 }
  const read = provider.read({ ...request, inputs: undefined, outputs: undefined })
  await expect(read).rejects.toThrow('stash can not be imported')
})
