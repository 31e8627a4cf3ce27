import { afterEach, expect, test } from 'vitest'
import { unknownText } from '../../../shared/names/provider-reference.ts'
import { createCloud } from '../cloud.ts'
import type { Asked, Program, Ran, TestEngine } from '../engine.ts'
import { createEngines, secret, thing, things } from '../things.ts'
import { errorsOf, opsOf } from '../told.ts'

const engines = createEngines()
afterEach(() => engines.close())

const request = { drawsPlan: true }

/** What a preview of a program plans. */
async function planOf(engine: TestEngine, program: Program, asked: Asked = {}): Promise<string> {
  const { result } = await engine.run(program, { ...asked, dryRun: true, request })
  if (result.plan === undefined) throw new Error(`no plan: ${result.result}`)
  return result.plan
}

const violations = (ran: Ran): readonly string[] =>
  errorsOf(ran).filter(text => /plan|expected resource operations/.test(text))

test('TestPlannedUpdate: what was unknown may be anything, what was known must be as planned', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const plan = await planOf(engine, things({ a: { foo: 'bar', zed: unknownText } }))
  const changed = await engine.run(things({ a: { foo: 'baz', zed: 24 } }), { plan })
  expect(changed.result.result).toBe('failed')
  expect(violations(changed)).toEqual([
    expect.stringMatching(/^a: resource urn:.*::a violates plan: .*\+\+foo\["bar"!="baz"\]$/),
  ])
  expect(cloud.log).toEqual([])
  const planned = await engine.run(things({ a: { foo: 'bar', zed: 24 } }), { plan })
  expect(planned.result.result).toBe('succeeded')
  expect(cloud.objects.get('a-1')).toEqual({ foo: 'bar', zed: 24 })
})

test('TestUnplannedCreate: what the plan does not have is not created', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 } }))
  const plan = await planOf(engine, things({ a: { v: 1 } }))
  const ran = await engine.run(things({ a: { v: 1 }, b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(violations(ran)).toEqual([
    'b: create is not allowed by the plan: no steps were expected for this resource',
  ])
  expect(cloud.log).toEqual(['create a'])
})

test('TestUnplannedDelete: what was to stay is not deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const both = things({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(both)
  const plan = await planOf(engine, both)
  const ran = await engine.run(things({ b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(violations(ran)).toEqual([
    'a: delete is not allowed by the plan: this resource is constrained to same',
  ])
  expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-1'])
})

test('TestExpectedDelete: what was to go may not stay', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const both = things({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(both)
  const plan = await planOf(engine, things({ b: { v: 1 } }))
  const ran = await engine.run(both, { plan })
  expect(ran.result.result).toBe('failed')
  expect(violations(ran)[0]).toMatch(/^a: .*violates plan: resource unexpectedly not deleted$/)
  expect(cloud.log).toEqual(['create a', 'create b'])
})

test('TestExpectedCreate: what was to come must come', async () => {
  const engine = await engines.of(createCloud())
  const plan = await planOf(engine, things({ a: { v: 1 }, b: { v: 1 } }))
  const ran = await engine.run(things({ b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(violations(ran)).toEqual([
    expect.stringMatching(/^a: expected resource operations for urn:.*::a but none were seen$/),
  ])
})

test('TestPropertySetChange: a property that the plan does not have, or has and that is missing', async () => {
  const engine = await engines.of(createCloud())
  const plan = await planOf(engine, things({ a: { foo: 1, frob: 2 } }))
  const ran = await engine.run(things({ a: { foo: 1, other: 3 } }), { plan })
  expect(ran.result.result).toBe('failed')
  expect(violations(ran)[0]).toContain('properties changed: +-frob[2], =+other[3]')
})

test('TestExpectedUnneededCreate: what was made meanwhile as planned is no violation', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program = things({ a: { v: 1 } })
  const plan = await planOf(engine, program)
  await engine.run(program)
  const ran = await engine.run(program, { plan })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a'])
})

test('TestExpectedUnneededDelete: what was deleted meanwhile as planned is no violation', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 }, b: { v: 1 } }))
  const program = things({ b: { v: 1 } })
  const plan = await planOf(engine, program)
  await engine.run(program)
  const ran = await engine.run(program, { plan })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a', 'create b', 'delete a-1'])
})

test('TestResoucesWithSames: resources that came after the plan may stay as they are', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({}))
  const plan = await planOf(engine, things({ a: { v: 1 } }))
  await engine.run(things({ b: { v: 1 } }))
  const ran = await engine.run(things({ a: { v: 1 }, b: { v: 1 } }), { plan })
  expect(ran.result.result).toBe('succeeded')
  expect(opsOf(ran, 'b')).toEqual(['same'])
  const changed = await engine.run(things({ a: { v: 1 }, b: { v: 2 } }), { plan })
  expect(violations(changed)[0]).toMatch(/^b: .*violates plan: properties changed: =~v\[2\]$/)
})

test('TestPlannedPreviews: a preview is held to a plan as an update is', async () => {
  const engine = await engines.of(createCloud())
  const plan = await planOf(engine, things({ a: { v: 1 } }))
  const changed = await engine.run(things({ a: { v: 2 } }), { plan, dryRun: true })
  expect(changed.result.result).toBe('failed')
  expect(violations(changed)).toHaveLength(1)
  const planned = await engine.run(things({ a: { v: 1 } }), { plan, dryRun: true })
  expect(planned.result.result).toBe('succeeded')
})

test('TestPlannedUpdateChangedStack: what the state has other than at planning counts as a change', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ a: { foo: 1, zed: 2 } }))
  const planned = things({ a: { foo: 1, zed: 3 } })
  const plan = await planOf(engine, planned)
  await engine.run(things({ a: { foo: 9, zed: 2 } }))
  const ran = await engine.run(planned, { plan })
  expect(ran.result.result).toBe('failed')
  expect(violations(ran)[0]).toContain('properties changed: =~foo[1]')
})

test('TestPlannedOutputChanges: outputs that the program registers are held to the plan', async () => {
  const engine = await engines.of(createCloud())
  const registering =
    (frob: string): Program =>
    async monitor => {
      const component = { type: 'my:index:Box', name: 'box', custom: false, object: {} }
      const { urn } = await monitor.register(component)
      await monitor.outputs(urn, { foo: 'bar', frob })
    }
  const plan = await planOf(engine, registering('baz'))
  const changed = await engine.run(registering('other'), { plan })
  expect(changed.result.result).toBe('failed')
  expect(violations(changed)[0]).toMatch(/^box: .*violates plan: .*\+\+frob\["baz"!="other"\]$/)
  const planned = await engine.run(registering('baz'), { plan })
  expect(planned.result.result).toBe('succeeded')
})

test('outputs of the stack are held to the plan', async () => {
  const engine = await engines.of(createCloud())
  const giving =
    (v: number): Program =>
    async monitor => {
      await thing(monitor, 'a', { v: 1 })
      await monitor.outputs(monitor.stack, { v })
    }
  const plan = await planOf(engine, giving(1))
  const changed = await engine.run(giving(2), { plan })
  expect(changed.result.result).toBe('failed')
  expect(violations(changed)[0]).toMatch(/^life-dev: .*violates plan: .*\+\+v\[1!=2\]$/)
  expect((await engine.run(giving(1), { plan })).result.result).toBe('succeeded')
})

test('TestComputedCanBeDropped: what was planned as unknown may be missing', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ a: { foo: 'bar', kept: 1 } }))
  const plan = await planOf(engine, things({ a: { foo: unknownText, more: unknownText, kept: 1 } }))
  const ran = await engine.run(things({ a: { kept: 1 } }), { plan })
  expect(violations(ran)).toEqual([])
  expect(ran.result.result).toBe('succeeded')
})

test('options that differ from the plan are all named at once', async () => {
  const engine = await engines.of(createCloud())
  const plan = await planOf(engine, things({ a: { v: 1 } }))
  const program: Program = async monitor => {
    await thing(monitor, 'a', { v: 1 }, { protect: true, ignoreChanges: ['v'] })
  }
  const ran = await engine.run(program, { plan })
  expect(violations(ran)[0]).toMatch(
    /violates plan: protect changed \(expected false\); ignoreChanges changed: added v$/,
  )
})

test('secrets of a plan are sealed, and compared open', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const plan = await planOf(engine, things({ a: { s: secret('hunter2') } }))
  expect(plan).not.toContain('hunter2')
  const changed = await engine.run(things({ a: { s: secret('hunter3') } }), { plan })
  expect(violations(changed)[0]).toContain('++s[[secret]!=[secret]]')
  const planned = await engine.run(things({ a: { s: secret('hunter2') } }), { plan })
  expect(planned.result.result).toBe('succeeded')
})
