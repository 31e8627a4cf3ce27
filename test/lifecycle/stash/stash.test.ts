import { afterEach, expect, test } from 'vitest'
import { createBuiltinProvider } from '../../../shared/providers/builtin/builtin-provider.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { emptyMap } from '../../../shared/values/value.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { edited, named, stepsOf } from '../states.ts'
import { createEngines } from '../things.ts'
import { withMark } from '../../../shared/state/edits/mark-resources.ts'

const engines = createEngines()
afterEach(() => engines.close())

const stash =
  (input: unknown, seen: (object: unknown) => void): Program =>
  async monitor => {
    const type = 'pulumi:index:Stash'
    const { object } = await monitor.register({ type, name: 's', custom: true, object: { input } })
    seen(object)
  }

test('TestStash: the output stays the first input, and a replacement takes the new one', async () => {
  const engine = await engines.of(createCloud())
  const seen: unknown[] = []
  const note = (object: unknown): void => void seen.push(object)
  const preview = await engine.run(stash('first', note), { dryRun: true })
  expect(stepsOf(preview.events, 's')).toEqual(['create'])
  const first = await engine.run(stash('first', note))
  const second = await engine.run(stash('second', note))
  expect(stepsOf(second.events, 's')).toEqual(['update'])
  const third = await engine.run(stash('second', note))
  expect(stepsOf(third.events, 's')).toEqual(['same'])
  expect(seen).toEqual([
    { input: 'first', output: 'first' },
    { input: 'first', output: 'first' },
    { input: 'second', output: 'first' },
    { input: 'second', output: 'first' },
  ])
  const id = named(first.state, 's')?.['id']
  expect(id).toMatch(/^[\da-f-]{36}$/)
  expect(named(second.state, 's')?.['id']).toBe(id)
  const refreshed = await engine.run(undefined, { command: 'refresh' })
  const outputs = { input: 'second', output: 'first' }
  expect(named(refreshed.state, 's')).toMatchObject({ id, outputs })
  expect(refreshed.result.hasChanges).toBe(false)
  await edited(engine, state => {
    const urn = named(state, 's')?.urn ?? ''
    return withMark(state, [urn], { mark: 'taint', isSet: true }).state
  })
  const { state } = await engine.run(stash('third', note))
  expect(seen.at(-1)).toEqual({ input: 'third', output: 'third' })
  expect(named(state, 's')?.['id']).not.toBe(id)
  const gone = await engine.run(undefined, { command: 'destroy' })
  expect(gone.state.resources ?? []).toEqual([])
})

test('a stash refuses what it does not have', async () => {
  const engine = await engines.of(createCloud())
  const wrong: Program = async monitor => {
    const type = 'pulumi:index:Stash'
    await monitor.register({ type, name: 's', custom: true, object: { input: 1, other: 2 } })
  }
  const { result, state } = await engine.run(wrong)
  expect(result.result).toBe('failed')
  expect(named(state, 's')).toBeUndefined()
})

test('TestStashImportError: what has no input cannot be read', async () => {
  const provider = createBuiltinProvider({
    readOutputs: async () => emptyMap,
    readResources: async () => emptyMap,
    uuid: () => '',
    warn: () => undefined,
  })
  const urn = 'urn:pulumi:dev::life::pulumi:index:Stash::s' as Urn
  const ask = { urn, name: 's', type: 'pulumi:index:Stash', id: 'x', timeout: 0 }
  const read = provider.read({ ...ask, inputs: undefined, outputs: undefined })
  await expect(read).rejects.toThrow('stash can not be imported')
})
