import { afterEach, expect, test } from 'vitest'
import { type CheckRequest, CheckResponse } from '../../../proto/gen/pulumi/provider.ts'
import { unknownStringMarker } from '../../../shared/names/provider-reference.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun, TestEngine } from '../engine.ts'
import { ProcessKilledError } from '../test-process.ts'
import {
  createEngines,
  deleteFirst,
  registerThing,
  createThings,
  withDependency,
} from '../register-thing.ts'
import { errorsOf, opsOf } from '../run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

const request = { draftsUpdatePlan: true }

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

/** Returns a cloud whose provider returns these inputs from Check. */
function createCheckingCloud(
  inputsOf: (providerRequest: CheckRequest) => Record<string, unknown>,
): Cloud {
  const cloud = createCloud()
  const check = (providerRequest: CheckRequest) =>
    CheckResponse.create({ inputs: inputsOf(providerRequest) })
  return { ...cloud, script: { ...cloud.script, check } }
}

test('TestAliasWithPlans: a plan contains a resource under its new name', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const before = await engine.run(createThings({ a: { replace: 1 } }))
  const old = (before.state.resources ?? []).find(({ id }) => id === 'a-1')?.urn ?? ''
  const renamedProgram: Program = async monitor => {
    const aliases = [{ alias: { $case: 'urn', value: old } }]
    await registerThing(monitor, 'b', { replace: 2 }, { aliases })
  }
  const plan = await previewPlan(engine, renamedProgram)
  const testRun = await engine.run(renamedProgram, { plan })
  expect(findViolations(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'delete a-1'])
})

test('TestPlannedUpdateWithNondeterministicCheck: random inputs from Check violate the plan', async () => {
  let calls = 0
  const cloud = createCheckingCloud(({ news }) => ({ ...news, chance: (calls += 1) }))
  const engine = await engines.open(cloud)
  const program = createThings({ a: { v: 1 } })
  const plan = await previewPlan(engine, program)
  const testRun = await engine.run(program, { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)[0]).toContain('properties changed: ++chance[1!=2]')
  expect(cloud.mutatingCalls).toEqual([])
})

test('TestProviderDeterministicPreview: with the seed of the plan, random inputs are the same', async () => {
  const cloud = createCheckingCloud(({ news, randomSeed }) => ({
    ...news,
    name: Buffer.from(randomSeed).toString('hex').slice(0, 8),
  }))
  const engine = await engines.open(cloud)
  const program = createThings({ a: { v: 1 } })
  const plan = await previewPlan(engine, program)
  const testRun = await engine.run(program, { plan })
  expect(findViolations(testRun)).toEqual([])
  const name = String(cloud.objects.get('a-1')?.['name'])
  expect(plan).toContain(`"name": "${name}"`)
  const other = await engine.run(createThings({ z: { v: 1 } }))
  expect(JSON.stringify(other.state)).not.toContain(name)
})

test('TestPlannedUpdateWithCheckFailure: only the check failure is reported', async () => {
  let fails = false
  const cloud = createCloud()
  const check = ({ news }: CheckRequest) =>
    CheckResponse.create({
      inputs: news ?? {},
      failures: fails ? [{ property: 'v', reason: 'is wrong' }] : [],
    })
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, check } })
  const plan = await previewPlan(engine, createThings({ a: { v: 1 } }))
  fails = true
  const testRun = await engine.run(createThings({ a: { v: 2 } }), { plan })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)).toEqual([])
  expect(errorsOf(testRun).join()).toContain('is wrong')
})

const createChain =
  (value: number): Program =>
  async monitor => {
    const base = await registerThing(monitor, 'base', { replace: value }, deleteFirst)
    const replace = base.id === '' ? unknownStringMarker : base.id
    await registerThing(monitor, 'top', { replace }, withDependency(base.urn))
  }

test('TestPlannedUpdateWithDependentDelete: deletes of dependents before a replacement are part of the plan', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createChain(1))
  const plan = await previewPlan(engine, createChain(2))
  const plans = (JSON.parse(plan) as { resourcePlans: Record<string, { steps: string[] }> })
    .resourcePlans
  const top = Object.entries(plans).find(([urn]) => urn.endsWith('::top'))?.[1].steps
  expect(top).toEqual(['delete-replaced', 'replace', 'create-replacement'])
  const testRun = await engine.run(createChain(2), { plan })
  expect(findViolations(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls.slice(2)).toEqual([
    'delete top-1',
    'delete base-1',
    'create base',
    'create top',
  ])
})

test('TestPlannedInputOutputDifferences: inputs are checked against the plan, provider outputs are not', async () => {
  const cloud = createCloud()
  let serial = 0
  const create: Cloud['script']['create'] = async (providerRequest: never) => {
    const createReply = (await (cloud.script.create as (providerRequest: never) => Promise<object>)(
      providerRequest,
    )) as {
      properties: Record<string, unknown>
    }
    return { ...createReply, properties: { ...createReply.properties, serial: (serial += 1) } }
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, create } })
  const plan = await previewPlan(engine, createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { plan })
  expect(findViolations(testRun)).toEqual([])
  expect(JSON.stringify(testRun.state)).toContain('"serial":2')
})

test.each([
  ['before the begin of a create', 'operations.begin', 'before'],
  ['after the decision about a create', 'decisionLog.append registration', 'after'],
] as const)('a deployment that died %s is resumed under its plan', async (_name, call, when) => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program = createThings({ a: { v: 1 }, b: { v: 1 } })
  const plan = await previewPlan(engine, program)
  const kill = { call, effect: 1, when }
  await expect(engine.run(program, { plan, kill })).rejects.toBeInstanceOf(ProcessKilledError)
  const testRun = await engine.run(program, { plan, resume: true })
  expect(findViolations(testRun)).toEqual([])
  expect(opsOf(testRun, 'b')).toEqual(['create'])
})

test('a resumed deployment reports planned steps that did not occur', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ old: { v: 1 } }))
  const plan = await previewPlan(engine, createThings({ a: { v: 1 }, b: { v: 1 } }))
  const kill = { call: 'provider.delete', effect: 1, when: 'before' } as const
  const program = createThings({ b: { v: 1 } })
  await expect(engine.run(program, { plan, kill })).rejects.toBeInstanceOf(ProcessKilledError)
  const testRun = await engine.run(program, { plan, resume: true })
  expect(testRun.result.result).toBe('failed')
  expect(findViolations(testRun)[0]).toMatch(/^a: expected resource operations/)
  expect([...cloud.objects.keys()]).toEqual(['b-1'])
})

test.each([
  ['text that is not JSON', 'nothing', /is not valid JSON/],
  ['an unknown field', '{"manifest":{},"more":1}', /more/],
  [
    'a URN of another stack',
    '{"manifest":{},"resourcePlans":{"urn:pulumi:prod::life::a:b:C::d":{"state":null}}}',
    /not for stack 'dev'/,
  ],
  [
    'an unknown step',
    '{"manifest":{},"resourcePlans":{"urn:pulumi:dev::life::a:b:C::d":{"steps":["explode"],"state":null}}}',
    /explode/,
  ],
] as const)(
  'a plan with %s is refused with one clear error before any step',
  async (_name, plan, message) => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const run = engine.run(createThings({ a: { v: 1 } }), { plan })
    await expect(run).rejects.toMatchObject({ code: 'PLAN_INVALID' })
    await expect(engine.run(createThings({ a: { v: 1 } }), { plan })).rejects.toThrow(message)
    expect(cloud.mutatingCalls).toEqual([])
  },
)
