import { afterEach, expect, test } from 'vitest'
import { unknownText } from '../../../shared/names/provider-reference.ts'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun, TestEngine } from '../engine.ts'
import { createEngines, toWireSecret, registerThing, createThings } from '../register-thing.ts'
import { errorsOf, opsOf } from '../run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

const request = { drawsPlan: true }

/** What a preview of a program plans. */
async function drawPlan(
  engine: TestEngine,
  program: Program,
  options: TestRunOptions = {},
): Promise<string> {
  const { result } = await engine.run(program, { ...options, dryRun: true, request })
  if (result.plan === undefined) throw new Error(`no plan: ${result.result}`)
  return result.plan
}

const findViolations = (ran: TestRun): readonly string[] =>
  errorsOf(ran).filter(text => /plan|expected resource operations/.test(text))

test('TestPlannedUpdate: what was unknown may be anything, what was known must be as planned', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const plan = await drawPlan(engine, createThings({ a: { foo: 'bar', zed: unknownText } }))
  const changed = await engine.run(createThings({ a: { foo: 'baz', zed: 24 } }), { plan })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)).toEqual([
    expect.stringMatching(/^a: resource urn:.*::a violates plan: .*\+\+foo\["bar"!="baz"\]$/),
  ])
  expect(cloud.log).toEqual([])
  const planned = await engine.run(createThings({ a: { foo: 'bar', zed: 24 } }), { plan })
  expect(planned.result.result).toBe('succeeded')
  expect(cloud.objects.get('a-1')).toEqual({ foo: 'bar', zed: 24 })
})

test('TestUnplannedCreate: what the plan does not have is not created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const plan = await drawPlan(engine, createThings({ a: { v: 1 } }))
  const ran = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(findViolations(ran)).toEqual([
    'b: create is not allowed by the plan: no steps were expected for this resource',
  ])
  expect(cloud.log).toEqual(['create a'])
})

test('TestUnplannedDelete: what was to stay is not deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const both = createThings({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(both)
  const plan = await drawPlan(engine, both)
  const ran = await engine.run(createThings({ b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(findViolations(ran)).toEqual([
    'a: delete is not allowed by the plan: this resource is constrained to same',
  ])
  expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-1'])
})

test('TestExpectedDelete: what was to go may not stay', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const both = createThings({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(both)
  const plan = await drawPlan(engine, createThings({ b: { v: 1 } }))
  const ran = await engine.run(both, { plan })
  expect(ran.result.result).toBe('failed')
  expect(findViolations(ran)[0]).toMatch(/^a: .*violates plan: resource unexpectedly not deleted$/)
  expect(cloud.log).toEqual(['create a', 'create b'])
})

test('TestExpectedCreate: what was to come must come', async () => {
  const engine = await engines.open(createCloud())
  const plan = await drawPlan(engine, createThings({ a: { v: 1 }, b: { v: 1 } }))
  const ran = await engine.run(createThings({ b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(findViolations(ran)).toEqual([
    expect.stringMatching(/^a: expected resource operations for urn:.*::a but none were seen$/),
  ])
})

test('TestPropertySetChange: a property that the plan does not have, or has and that is missing', async () => {
  const engine = await engines.open(createCloud())
  const plan = await drawPlan(engine, createThings({ a: { foo: 1, frob: 2 } }))
  const ran = await engine.run(createThings({ a: { foo: 1, other: 3 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(findViolations(ran)[0]).toContain('properties changed: +-frob[2], =+other[3]')
})

test('TestExpectedUnneededCreate: what was made meanwhile as planned is no violation', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program = createThings({ a: { v: 1 } })
  const plan = await drawPlan(engine, program)
  await engine.run(program)
  const ran = await engine.run(program, { plan })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a'])
})

test('TestExpectedUnneededDelete: what was deleted meanwhile as planned is no violation', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const program = createThings({ b: { v: 1 } })
  const plan = await drawPlan(engine, program)
  await engine.run(program)
  const ran = await engine.run(program, { plan })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a', 'create b', 'delete a-1'])
})

test('TestResoucesWithSames: resources that came after the plan may stay as they are', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({}))
  const plan = await drawPlan(engine, createThings({ a: { v: 1 } }))
  await engine.run(createThings({ b: { v: 1 } }))
  const ran = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('succeeded')
  expect(opsOf(ran, 'b')).toEqual(['same'])
  const changed = await engine.run(createThings({ a: { v: 1 }, b: { v: 2 } }), { plan })
  expect(findViolations(changed)[0]).toMatch(/^b: .*violates plan: properties changed: =~v\[2\]$/)
})

test('TestPlannedPreviews: a preview is held to a plan as an update is', async () => {
  const engine = await engines.open(createCloud())
  const plan = await drawPlan(engine, createThings({ a: { v: 1 } }))
  const changed = await engine.run(createThings({ a: { v: 2 } }), { plan, dryRun: true })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)).toHaveLength(1)
  const planned = await engine.run(createThings({ a: { v: 1 } }), { plan, dryRun: true })
  expect(planned.result.result).toBe('succeeded')
})

test('TestPlannedUpdateChangedStack: what the state has other than at planning counts as a change', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { foo: 1, zed: 2 } }))
  const planned = createThings({ a: { foo: 1, zed: 3 } })
  const plan = await drawPlan(engine, planned)
  await engine.run(createThings({ a: { foo: 9, zed: 2 } }))
  const ran = await engine.run(planned, { plan })
  expect(ran.result.result).toBe('failed')
  expect(findViolations(ran)[0]).toContain('properties changed: =~foo[1]')
})

test('TestPlannedOutputChanges: outputs that the program registers are held to the plan', async () => {
  const engine = await engines.open(createCloud())
  const createRegistering =
    (frob: string): Program =>
    async monitor => {
      const component = { type: 'my:index:Box', name: 'box', custom: false, object: {} }
      const { urn } = await monitor.register(component)
      await monitor.registerOutputs(urn, { foo: 'bar', frob })
    }
  const plan = await drawPlan(engine, createRegistering('baz'))
  const changed = await engine.run(createRegistering('other'), { plan })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)[0]).toMatch(/^box: .*violates plan: .*\+\+frob\["baz"!="other"\]$/)
  const planned = await engine.run(createRegistering('baz'), { plan })
  expect(planned.result.result).toBe('succeeded')
})

test('outputs of the stack are held to the plan', async () => {
  const engine = await engines.open(createCloud())
  const createGiving =
    (v: number): Program =>
    async monitor => {
      await registerThing(monitor, 'a', { v: 1 })
      await monitor.registerOutputs(monitor.stack, { v })
    }
  const plan = await drawPlan(engine, createGiving(1))
  const changed = await engine.run(createGiving(2), { plan })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)[0]).toMatch(/^life-dev: .*violates plan: .*\+\+v\[1!=2\]$/)
  expect((await engine.run(createGiving(1), { plan })).result.result).toBe('succeeded')
})

test('TestComputedCanBeDropped: what was planned as unknown may be missing', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { foo: 'bar', kept: 1 } }))
  const plan = await drawPlan(
    engine,
    createThings({ a: { foo: unknownText, more: unknownText, kept: 1 } }),
  )
  const ran = await engine.run(createThings({ a: { kept: 1 } }), { plan })
  expect(findViolations(ran)).toEqual([])
  expect(ran.result.result).toBe('succeeded')
})

test('options that differ from the plan are all named at once', async () => {
  const engine = await engines.open(createCloud())
  const plan = await drawPlan(engine, createThings({ a: { v: 1 } }))
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 }, { protect: true, ignoreChanges: ['v'] })
  }
  const ran = await engine.run(program, { plan })
  expect(findViolations(ran)[0]).toMatch(
    /violates plan: protect changed \(expected false\); ignoreChanges changed: added v$/,
  )
})

test('secrets of a plan are sealed, and compared open', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const plan = await drawPlan(engine, createThings({ a: { s: toWireSecret('hunter2') } }))
  expect(plan).not.toContain('hunter2')
  const changed = await engine.run(createThings({ a: { s: toWireSecret('hunter3') } }), { plan })
  expect(findViolations(changed)[0]).toContain('++s[[secret]!=[secret]]')
  const planned = await engine.run(createThings({ a: { s: toWireSecret('hunter2') } }), { plan })
  expect(planned.result.result).toBe('succeeded')
})
