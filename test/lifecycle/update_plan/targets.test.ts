import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Asked, Program, TestEngine } from '../engine.ts'
import { createEngines, thing, things } from '../things.ts'
import { errorsOf, opsOf } from '../told.ts'

const engines = createEngines()
afterEach(() => engines.close())

const targeting = { targets: ['urn:pulumi:dev::life::test:index:Thing::b'] }

async function planOf(engine: TestEngine, program: Program, asked: Asked): Promise<string> {
  const drawn = { ...asked, dryRun: true, request: { drawsPlan: true } }
  const { result } = await engine.run(program, drawn)
  if (result.plan === undefined) throw new Error(`no plan: ${result.result}`)
  return result.plan
}

test('TestResourcesTargeted: a plan with targets admits them, and nothing without', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const both = things({ a: { foo: 'bar' }, b: { foo: 'bar' } })
  const plan = await planOf(engine, both, { targeting })
  const all = await engine.run(both, { plan })
  expect(all.result.result).toBe('failed')
  expect(errorsOf(all).join()).toMatch(/a violates plan: properties changed: =\+foo/)
  expect(cloud.log).toEqual([])
  const targeted = await engine.run(both, { plan, targeting })
  expect(errorsOf(targeted)).toEqual([])
  expect(cloud.log).toEqual(['create b'])
})

test('TestStackOutputsWithTargetedPlan: outputs of the stack are no violation, though it is no target', async () => {
  const engine = await engines.of(createCloud())
  const program: Program = async monitor => {
    await thing(monitor, 'a', { v: 1 })
    await thing(monitor, 'b', { v: 1 })
    await monitor.outputs(monitor.stack, { foo: 'bar' })
  }
  const plan = await planOf(engine, program, { targeting })
  const ran = await engine.run(program, { plan, targeting })
  expect(errorsOf(ran)).toEqual([])
  expect(ran.result.result).toBe('succeeded')
  const [stack] = ran.state.resources ?? []
  expect(stack?.['outputs']).toEqual({ foo: 'bar' })
  // What stays as it is for want of being a target is planned to stay.
  const again = await planOf(engine, program, { targeting })
  const held = await engine.run(program, { plan: again, targeting })
  expect(opsOf(held, 'b')).toEqual(['same'])
  expect(held.result.result).toBe('succeeded')
})
