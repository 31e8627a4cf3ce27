import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestEngine } from '../engine.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import { errorsOf, opsOf } from '../run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

const targeting = { targets: ['urn:pulumi:dev::life::test:index:Thing::b'] }

async function previewPlan(
  engine: TestEngine,
  program: Program,
  options: TestRunOptions,
): Promise<string> {
  const previewOptions = { ...options, dryRun: true, request: { draftsUpdatePlan: true } }
  const { result } = await engine.run(program, previewOptions)
  if (result.updatePlan === undefined) throw new Error(`no plan: ${result.result}`)
  return result.updatePlan
}

test('TestResourcesTargeted: a plan with targets allows an update with these targets, and none without targets', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const twoThings = createThings({ a: { foo: 'bar' }, b: { foo: 'bar' } })
  const plan = await previewPlan(engine, twoThings, { targeting })
  const testRun = await engine.run(twoThings, { plan })
  expect(testRun.result.result).toBe('failed')
  expect(errorsOf(testRun).join()).toMatch(/a violates plan: properties changed: =\+foo/)
  expect(cloud.mutatingCalls).toEqual([])
  const targeted = await engine.run(twoThings, { plan, targeting })
  expect(errorsOf(targeted)).toEqual([])
  expect(cloud.mutatingCalls).toEqual(['create b'])
})

test('TestStackOutputsWithTargetedPlan: stack outputs are not a violation, although the stack is no target', async () => {
  const engine = await engines.open(createCloud())
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 })
    await registerThing(monitor, 'b', { v: 1 })
    await monitor.registerOutputs(monitor.stack, { foo: 'bar' })
  }
  const plan = await previewPlan(engine, program, { targeting })
  const testRun = await engine.run(program, { plan, targeting })
  expect(errorsOf(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
  const [stack] = testRun.state.resources ?? []
  expect(stack?.['outputs']).toEqual({ foo: 'bar' })
  // A resource outside of the targets is planned as unchanged.
  const nextPlan = await previewPlan(engine, program, { targeting })
  const nextRun = await engine.run(program, { plan: nextPlan, targeting })
  expect(opsOf(nextRun, 'b')).toEqual(['same'])
  expect(nextRun.result.result).toBe('succeeded')
})
