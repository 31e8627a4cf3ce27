import { afterEach, expect, test } from 'vitest'
import { unknownStringMarker } from '../../../shared/names/provider-reference.ts'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun, TestEngine } from '../engine.ts'
import { createEngines, toWireSecret, registerThing, createThings } from '../register-thing.ts'
import { errorsOf, opsOf } from '../run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

const request = { draftsUpdatePlan: true }

/** Returns the plan of a preview of a program. */
async function previewPlan(
  engine: TestEngine,
  program: Program,
  options: TestRunOptions = {},
): Promise<string> {
  const { result } = await engine.run(program, { ...options, dryRun: true, request })
  if (result.updatePlan === undefined) throw new Error(`no plan: ${result.result}`)
  return result.updatePlan
}

const findViolations = (testRun: TestRun): readonly string[] =>
  errorsOf(testRun).filter(text => /plan|expected resource operations/.test(text))

test('TestPlannedUpdate: an unknown value in the plan allows any value, and a known one must match', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const plan = await previewPlan(
    engine,
    createThings({ a: { foo: 'bar', zed: unknownStringMarker } }),
  )
  const changed = await engine.run(createThings({ a: { foo: 'baz', zed: 24 } }), { plan })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)).toEqual([
    expect.stringMatching(/^a: resource urn:.*::a violates plan: .*\+\+foo\["bar"!="baz"\]$/),
  ])
  expect(cloud.mutatingCalls).toEqual([])
  const planned = await engine.run(createThings({ a: { foo: 'bar', zed: 24 } }), { plan })
  expect(planned.result.result).toBe('succeeded')
  expect(cloud.objects.get('a-1')).toEqual({ foo: 'bar', zed: 24 })
})

test('TestUnplannedCreate: a resource outside of the plan is not created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const plan = await previewPlan(engine, createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }), { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)).toEqual([
    'b: create is not allowed by the plan: no steps were expected for this resource',
  ])
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('TestUnplannedDelete: a resource that the plan keeps is not deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const twoThings = createThings({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(twoThings)
  const plan = await previewPlan(engine, twoThings)
  const testRun = await engine.run(createThings({ b: { v: 1 } }), { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)).toEqual([
    'a: delete is not allowed by the plan: this resource is constrained to same',
  ])
  expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-1'])
})

test('TestExpectedDelete: a planned delete must happen', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const twoThings = createThings({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(twoThings)
  const plan = await previewPlan(engine, createThings({ b: { v: 1 } }))
  const testRun = await engine.run(twoThings, { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)[0]).toMatch(
    /^a: .*violates plan: resource unexpectedly not deleted$/,
  )
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})

test('TestExpectedCreate: a planned create must happen', async () => {
  const engine = await engines.open(createCloud())
  const plan = await previewPlan(engine, createThings({ a: { v: 1 }, b: { v: 1 } }))
  const testRun = await engine.run(createThings({ b: { v: 1 } }), { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)).toEqual([
    expect.stringMatching(/^a: expected resource operations for urn:.*::a but none were seen$/),
  ])
})

test('TestPropertySetChange: an additional or missing property is a violation', async () => {
  const engine = await engines.open(createCloud())
  const plan = await previewPlan(engine, createThings({ a: { foo: 1, frob: 2 } }))
  const testRun = await engine.run(createThings({ a: { foo: 1, other: 3 } }), { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)[0]).toContain('properties changed: +-frob[2], =+other[3]')
})

test('TestExpectedUnneededCreate: a planned create of a resource that already exists is not a violation', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program = createThings({ a: { v: 1 } })
  const plan = await previewPlan(engine, program)
  await engine.run(program)
  const testRun = await engine.run(program, { plan })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('TestExpectedUnneededDelete: a planned delete that already happened is not a violation', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const program = createThings({ b: { v: 1 } })
  const plan = await previewPlan(engine, program)
  await engine.run(program)
  const testRun = await engine.run(program, { plan })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'delete a-1'])
})

test('TestResoucesWithSames: resources that were added after the plan may stay unchanged', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({}))
  const plan = await previewPlan(engine, createThings({ a: { v: 1 } }))
  await engine.run(createThings({ b: { v: 1 } }))
  const testRun = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }), { plan })
  expect(testRun.result.result).toBe('succeeded')
  expect(opsOf(testRun, 'b')).toEqual(['same'])
  const changed = await engine.run(createThings({ a: { v: 1 }, b: { v: 2 } }), { plan })
  expect(findViolations(changed)[0]).toMatch(/^b: .*violates plan: properties changed: =~v\[2\]$/)
})

test('TestPlannedPreviews: a preview is checked against a plan like an update', async () => {
  const engine = await engines.open(createCloud())
  const plan = await previewPlan(engine, createThings({ a: { v: 1 } }))
  const changed = await engine.run(createThings({ a: { v: 2 } }), { plan, dryRun: true })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)).toHaveLength(1)
  const planned = await engine.run(createThings({ a: { v: 1 } }), { plan, dryRun: true })
  expect(planned.result.result).toBe('succeeded')
})

test('TestPlannedUpdateChangedStack: an input that changed in the state since the plan is a violation', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { foo: 1, zed: 2 } }))
  const planned = createThings({ a: { foo: 1, zed: 3 } })
  const plan = await previewPlan(engine, planned)
  await engine.run(createThings({ a: { foo: 9, zed: 2 } }))
  const testRun = await engine.run(planned, { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)[0]).toContain('properties changed: =~foo[1]')
})

test('TestPlannedOutputChanges: outputs that the program registers are checked against the plan', async () => {
  const engine = await engines.open(createCloud())
  const createBoxProgram =
    (frob: string): Program =>
    async monitor => {
      const component = { type: 'my:index:Box', name: 'box', custom: false, object: {} }
      const { urn } = await monitor.register(component)
      await monitor.registerOutputs(urn, { foo: 'bar', frob })
    }
  const plan = await previewPlan(engine, createBoxProgram('baz'))
  const changed = await engine.run(createBoxProgram('other'), { plan })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)[0]).toMatch(/^box: .*violates plan: .*\+\+frob\["baz"!="other"\]$/)
  const planned = await engine.run(createBoxProgram('baz'), { plan })
  expect(planned.result.result).toBe('succeeded')
})

test('outputs of the stack are checked against the plan', async () => {
  const engine = await engines.open(createCloud())
  const createProgramWithOutput =
    (v: number): Program =>
    async monitor => {
      await registerThing(monitor, 'a', { v: 1 })
      await monitor.registerOutputs(monitor.stack, { v })
    }
  const plan = await previewPlan(engine, createProgramWithOutput(1))
  const changed = await engine.run(createProgramWithOutput(2), { plan })
  expect(changed.result.result).toBe('failed')
  expect(findViolations(changed)[0]).toMatch(/^life-dev: .*violates plan: .*\+\+v\[1!=2\]$/)
  expect((await engine.run(createProgramWithOutput(1), { plan })).result.result).toBe('succeeded')
})

test('TestComputedCanBeDropped: a property that was planned as unknown may be missing', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { foo: 'bar', kept: 1 } }))
  const plan = await previewPlan(
    engine,
    createThings({ a: { foo: unknownStringMarker, more: unknownStringMarker, kept: 1 } }),
  )
  const testRun = await engine.run(createThings({ a: { kept: 1 } }), { plan })
  expect(findViolations(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
})

test('options that differ from the plan are reported together', async () => {
  const engine = await engines.open(createCloud())
  const plan = await previewPlan(engine, createThings({ a: { v: 1 } }))
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 }, { protect: true, ignoreChanges: ['v'] })
  }
  const testRun = await engine.run(program, { plan })
  expect(findViolations(testRun)[0]).toMatch(
    /violates plan: protect changed \(expected false\); ignoreChanges changed: added v$/,
  )
})

test('secrets in a plan are sealed and compared in plaintext', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const plan = await previewPlan(engine, createThings({ a: { s: toWireSecret('hunter2') } }))
  expect(plan).not.toContain('hunter2')
  const changed = await engine.run(createThings({ a: { s: toWireSecret('hunter3') } }), { plan })
  expect(findViolations(changed)[0]).toContain('++s[[secret]!=[secret]]')
  const planned = await engine.run(createThings({ a: { s: toWireSecret('hunter2') } }), { plan })
  expect(planned.result.result).toBe('succeeded')
})
