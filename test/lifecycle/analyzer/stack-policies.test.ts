import { afterEach, expect, test } from 'vitest'
import type {
  AnalyzedStackResource,
  Violation,
} from '../../../shared/providers/analyzers/analyzer.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createPack, createAnalysis } from '../policy-packs.ts'
import { ProcessKilledError } from '../test-process.ts'
import { createEngines, createThings, registerThing } from '../register-thing.ts'
import { errorsOf, policyResultsOf } from '../run-events.ts'
import { awaitKill } from '../scene.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Returns a pack that reports these violations for every stack. */
const createViolatingPack = (...violations: Partial<Violation>[]) =>
  createPack('pack', { analyzeStack: () => Promise.resolve(createAnalysis(...violations)) })

test('TestSimpleAnalyzeStackFailure: a mandatory stack violation fails the run after all resources were created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createThings({ a: { v: 1 } }), {
    packs: [createViolatingPack({})],
  })
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(policyResultsOf(testRun)).toEqual(['mandatory pack/resource-rule life-dev'])
  expect((testRun.state.resources ?? []).map(({ id }) => id)).toContain('a-1')
})

test('TestSimpleAnalyzeStackFailureRemediateDowngradedToMandatory: a stack violation cannot be remediated and is mandatory', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(createThings({ a: { v: 1 } }), {
    packs: [createViolatingPack({ enforcement: 'remediate' })],
  })
  expect(testRun.result.result).toBe('failed')
  expect(policyResultsOf(testRun)).toEqual(['mandatory pack/resource-rule life-dev'])
})

test('a stack violation fails a preview, and is reported for the resource that the violation names', async () => {
  const engine = await engines.open(createCloud())
  const urn = 'urn:pulumi:dev::life::test:index:Thing::a'
  const packs = [createViolatingPack({ urn })]
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs, dryRun: true })
  expect(testRun.result.result).toBe('failed')
  expect(policyResultsOf(testRun)).toEqual(['mandatory pack/resource-rule a'])
  expect(errorsOf(testRun)).toEqual([': preview failed'])
})

test('packs receive all resources, including unchanged ones, with outputs, providers and dependencies', async () => {
  const engine = await engines.open(createCloud())
  const seen: (readonly AnalyzedStackResource[])[] = []
  const pack = createPack('pack', {
    analyzeStack: resources => {
      seen.push(resources)
      return Promise.resolve(createAnalysis())
    },
  })
  const program: Program = async monitor => {
    const a = await registerThing(monitor, 'a', { v: 1 })
    const propertyDependencies = new Map([['v', { urns: [a.urn] }]])
    const dependencies = [a.urn]
    await registerThing(monitor, 'b', { v: 2 }, { dependencies, propertyDependencies })
  }
  await engine.run(program, { packs: [pack] })
  await engine.run(program, { packs: [pack] })
  const [first, second] = seen.map(resources => resources.map(({ name }) => name).toSorted())
  expect(first).toEqual(['a', 'b', 'default', 'life-dev'])
  expect(second).toEqual(first)
  const urn = 'urn:pulumi:dev::life::test:index:Thing::a'
  for (const resources of seen) {
    const thing = resources.find(({ name }) => name === 'b')
    expect([...(thing?.properties ?? [])]).toEqual([['v', 2]])
    expect(thing?.provider?.name).toBe('default')
    expect(thing).toMatchObject({
      dependencies: [urn],
      propertyDependencies: new Map([['v', [urn]]]),
    })
    expect(resources.find(({ name }) => name === 'a')).toMatchObject({ dependencies: [] })
  }
})

test('TestAnalyzeStackRunsInParallel: all packs analyze the stack at the same time', async () => {
  const engine = await engines.open(createCloud())
  const allAnalyzing = Promise.withResolvers<void>()
  let waitingCount = 0
  const createWaitingPack = (name: string) =>
    createPack(name, {
      analyzeStack: async () => {
        waitingCount += 1
        if (waitingCount === 3) allAnalyzing.resolve()
        await allAnalyzing.promise
        return createAnalysis()
      },
    })
  const packs = ['one', 'two', 'three'].map(createWaitingPack)
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs })
  expect(testRun.result.result).toBe('succeeded')
})

test('a stack is not analyzed when a resource failed', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a')
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createThings({ a: { v: 1 } }), {
    packs: [createViolatingPack({})],
  })
  expect(testRun.result.result).toBe('failed')
  expect(policyResultsOf(testRun)).toEqual([])
  expect(errorsOf(testRun).join()).toContain('create a was refused')
})

test.each([
  ['while its last delete ran', { call: 'provider.delete', effect: 1, when: 'before' }],
  [
    'after its outputs were applied',
    { call: 'decisionLog.append phase outputs-applied', effect: 1, when: 'after' },
  ],
] as const)(
  'a deployment that died %s is analyzed by the run that resumes it',
  async (_name, kill) => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
    const packs = [createViolatingPack({})]
    await awaitKill(engine.run(createThings({ a: { v: 2 } }), { packs, kill }))
    const testRun = await engine.run(createThings({ a: { v: 2 } }), { packs, resume: true })
    expect(testRun.result.result).toBe('failed')
    expect(policyResultsOf(testRun)).toEqual(['mandatory pack/resource-rule life-dev'])
    expect(cloud.objects.has('b-1')).toBe(false)
  },
)

test('a remediated resource keeps its recorded inputs when the deployment is resumed', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  let count = 0
  const pack = createPack('pack', {
    remediate: ({ type, properties }) => {
      const isThing = type === 'test:index:Thing'
      if (isThing) count += 1
      const changed = new Map(properties).set('asked', count)
      const remediation = { policy: 'p', pack: 'pack', version: '1', diagnostic: '' }
      const remediations = isThing ? [{ ...remediation, properties: changed }] : []
      return Promise.resolve({ remediations, notApplicable: [] })
    },
  })
  const program = createThings({ a: { v: 1 } })
  const kill = { call: 'provider.create', effect: 1, when: 'before' } as const
  await expect(engine.run(program, { packs: [pack], kill })).rejects.toBeInstanceOf(
    ProcessKilledError,
  )
  const testRun = await engine.run(program, {
    packs: [pack],
    resume: true,
    clearPendingCreates: true,
  })
  const states = JSON.stringify(testRun.state)
  expect(count).toBe(1)
  expect(states).toContain('"asked":1')
})
