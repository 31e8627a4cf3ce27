import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { errorsOf, wire } from '../components.ts'
import { Killed } from '../process.ts'
import { createEngines, thing, things } from '../things.ts'
import {
  Op,
  publish,
  sceneOf,
  step,
  type Telling,
  told,
  view,
  viewsIn,
  was,
  whole,
} from './viewed.ts'

const engines = createEngines()
afterEach(() => engines.close())
const scene = sceneOf(engines)

test('a replaced owner has the view of its new copy, whichever is made first', async () => {
  for (const more of [{}, { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }]) {
    const { engine, told: views } = await scene(whole)
    await engine.run(async monitor => void (await thing(monitor, 'a', { replace: 1, v: 1 }, more)))
    const replaced = await engine.run(
      async monitor => void (await thing(monitor, 'a', { replace: 2, v: 2 }, more)),
    )
    expect(replaced.result.result).toBe('succeeded')
    expect(views).toMatchObject([[{ inputs: { input: 1 } }]])
    expect(viewsIn(replaced)).toMatchObject([{ inputs: { input: 2 } }])
    expect(viewsIn(replaced)[0]?.delete).toBeUndefined()
  }
})

test('a view whose owner could not be made is not kept', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    create: async (ask: Parameters<NonNullable<Telling['create']>>[0]) => {
      await publish(ask, [step(Op.CREATE, { new: view(ask.name, 1) })])
      throw new Error('no room')
    },
  }
  const engine = await engines.of({ ...cloud, script })
  const ran = await engine.run(things({ a: {} }))
  expect(ran.result.result).toBe('failed')
  expect(told(ran)).toContain('out create a-child')
  expect(viewsIn(ran)).toEqual([])
})

test('an owner whose delete says nothing of its views takes them along', async () => {
  const { engine } = await scene({ ...(whole.create && { create: whole.create }) })
  await engine.run(things({ a: { v: 1 }, b: { v: 2 } }))
  const ran = await engine.run(things({ b: { v: 2 } }))
  expect(ran.result.result).toBe('succeeded')
  expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 2 } }])
  const kept = await engine.run(
    async monitor => void (await thing(monitor, 'b', { v: 2 }, { retainOnDelete: true })),
  )
  expect(viewsIn(kept)).toHaveLength(1)
  expect(viewsIn(await engine.run(things({})))).toEqual([])
})

test('a failed view of a delete keeps its owner', async () => {
  const { engine } = await scene({
    ...whole,
    delete: ({ oldViews }) =>
      oldViews.map(old => step(Op.DELETE, { old: was(old), error: 'still in use' })),
  })
  await engine.run(things({ a: { v: 1 } }))
  const ran = await engine.run(things({}))
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran.events)).toContain('still in use')
  expect(viewsIn(ran)).toHaveLength(1)
  expect(ran.state.pending_operations).toBeUndefined()
})

test('a view that the state does not have, and a token of a call that is over, are refused', async () => {
  const refused: string[] = []
  const cloud = createCloud()
  let last: Parameters<typeof publish>[0] | undefined
  const script = {
    ...cloud.script,
    create: async (ask: Parameters<NonNullable<Telling['create']>>[0]) => {
      if (last !== undefined) await publish(last, []).catch(({ details }) => refused.push(details))
      last = ask
      const steps = [step(Op.DELETE, { old: view(ask.name, 1) })]
      await publish(ask, steps).catch(({ details }) => refused.push(details))
      await publish(ask, [step(Op.CREATE, {})]).catch(({ details }) => refused.push(details))
      return cloud.script.create?.(ask as never)
    },
  }
  const engine = await engines.of({ ...cloud, script })
  const ran = await engine.run(things({ a: {}, b: {} }))
  expect(ran.result.result).toBe('succeeded')
  expect(refused.filter(one => one.startsWith('token '))).toHaveLength(1)
  expect(refused[0]).toContain('old resource state')
  expect(refused[1]).toBe("a step 'create' of a view says what the view is after it")
})

test('secrets of views are sealed in the state and hidden in events', async () => {
  const { engine } = await scene({
    create: ({ name }) => [step(Op.CREATE, { new: view(name, wire.secret('hush')) })],
  })
  const ran = await engine.run(things({ a: {} }))
  expect(JSON.stringify(ran.state)).not.toContain('hush')
  expect(JSON.stringify(ran.events)).not.toContain('hush')
  expect(JSON.stringify(viewsIn(ran))).toContain('ciphertext')
})

const deaths = [
  { call: 'operations.begin', when: 'after' },
  { call: 'operations.putOutcome', when: 'before' },
  { call: 'operations.putOutcome', when: 'after' },
  { call: 'operations.select', when: 'before' },
  { call: 'operations.select', when: 'after' },
] as const

test('what was told of views is as durable as the end of its owner', async () => {
  for (const { call, when } of deaths) {
    const { engine } = await scene(whole)
    await engine.run(things({ a: { v: 1 } }))
    const program = things({ a: { v: 2 } })
    const killed = engine.run(program, { kill: { effect: 1, call, when } })
    await expect(killed, call).rejects.toBeInstanceOf(Killed)
    const ran = await engine.run(program, { resume: true })
    expect(ran.result, call).toMatchObject({ result: 'succeeded', changes: { same: 1, update: 2 } })
    expect(viewsIn(ran)).toMatchObject([{ inputs: { input: 2 }, outputs: { result: 2 } }])
  }
})

test('many views are kept, though they do not fit into one record', async () => {
  const long = 'x'.repeat(5_000)
  const many = Array.from({ length: 100 }, (_, at) =>
    step(Op.CREATE, { new: view(`v${at}`, long) }),
  )
  const { engine } = await scene({ create: () => many })
  const ran = await engine.run(things({ a: {} }))
  expect(ran.result.changes).toEqual({ create: 102 })
  expect(viewsIn(ran)).toHaveLength(100)
})
