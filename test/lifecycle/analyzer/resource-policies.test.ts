import { afterEach, expect, test } from 'vitest'
import type { AnalyzedResource, Violation } from '../../../shared/providers/analyzers/analyzer.ts'
import { createCloud } from '../cloud.ts'
import { createPack, createRemediations, createAnalysis } from '../policy-packs.ts'
import { createEngines, toWireSecret, createThings } from '../register-thing.ts'
import { errorsOf, policyResultsOf } from '../run-events.ts'

const engines = createEngines()
afterEach(() => engines.close())

const isThing = ({ type }: AnalyzedResource): boolean => type === 'test:index:Thing'

/** Returns a pack that reports these violations for every thing. */
const createViolatingPack = (name: string, ...violations: Partial<Violation>[]) =>
  createPack(name, {
    analyze: resource => Promise.resolve(createAnalysis(...(isThing(resource) ? violations : []))),
  })

test('TestSimpleAnalyzer: packs receive each resource after Check, with options and provider', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const seen: AnalyzedResource[] = []
  const pack = createPack('pack', {
    analyze: resource => {
      seen.push(resource)
      return Promise.resolve(createAnalysis())
    },
  })
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs: [pack] })
  expect(testRun.result.result).toBe('succeeded')
  const thing = seen.find(isThing)
  expect(thing?.name).toBe('a')
  expect(thing?.properties).toEqual(new Map([['v', 1]]))
  expect(thing?.provider?.type).toBe('pulumi:providers:test')
  expect(thing?.options.parent).toContain('pulumi:pulumi:Stack')
  expect(seen.map(({ type }) => type)).toContain('pulumi:pulumi:Stack')
  const summaries = testRun.events.filter(event => 'policyAnalyzeSummaryEvent' in event)
  expect(summaries).toHaveLength(seen.length)
  const summary = testRun.events.find(event => 'summaryEvent' in event)
  expect(summary?.summaryEvent.PolicyPacks).toEqual({ 'pack|local|./pack': '1.0.0' })
})

test('TestSimpleAnalyzeResourceFailure: a mandatory violation fails a deployment before the create', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createThings({ a: { v: 1 } }), {
    packs: [createViolatingPack('pack', {})],
  })
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual([])
  expect(policyResultsOf(testRun)).toEqual(['mandatory pack/resource-rule a'])
  expect((testRun.state.resources ?? []).map(({ type }) => type)).not.toContain('test:index:Thing')
})

test('a preview reports every mandatory violation, continues, and fails', async () => {
  const engine = await engines.open(createCloud())
  const packs = [createViolatingPack('pack', {})]
  const testRun = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }), {
    packs,
    dryRun: true,
  })
  expect(testRun.result.result).toBe('failed')
  expect(policyResultsOf(testRun)).toEqual([
    'mandatory pack/resource-rule a',
    'mandatory pack/resource-rule b',
  ])
})

test('an advisory violation is only reported', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const packs = [createViolatingPack('pack', { enforcement: 'advisory' })]
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs })
  expect(testRun.result.result).toBe('succeeded')
  expect(policyResultsOf(testRun)).toEqual(['advisory pack/resource-rule a'])
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('TestSimpleAnalyzeResourceFailureRemediateDowngradedToMandatory: a violation that is not remediated is mandatory', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const packs = [createViolatingPack('pack', { enforcement: 'remediate' })]
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs })
  expect(testRun.result.result).toBe('failed')
  expect(policyResultsOf(testRun)).toEqual(['mandatory pack/resource-rule a'])
  expect(cloud.mutatingCalls).toEqual([])
})

test('TestSimpleAnalyzeResourceMultipleViolations: all violations of a resource are reported', async () => {
  const engine = await engines.open(createCloud())
  const one = createViolatingPack('one', { pack: 'one', policy: 'x' }, { pack: 'one', policy: 'y' })
  const packs = [one, createViolatingPack('two', { pack: 'two', enforcement: 'advisory' })]
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs })
  expect(policyResultsOf(testRun).toSorted()).toEqual([
    'advisory two/resource-rule a',
    'mandatory one/x a',
    'mandatory one/y a',
  ])
  const failed = testRun.events.flatMap(event =>
    'policyAnalyzeSummaryEvent' in event ? [event.policyAnalyzeSummaryEvent.failed ?? []] : [],
  )
  expect(failed).toContainEqual(['x', 'y'])
})

test('TestSimpleAnalyzeResourceFailureSeverityOverride: the severity of a violation is reported', async () => {
  const engine = await engines.open(createCloud())
  const packs = [
    createViolatingPack('pack', { severity: 'critical' }, { policy: 'other', severity: '' }),
  ]
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs })
  const severities = testRun.events.flatMap(event =>
    'policyEvent' in event ? [event.policyEvent.severity] : [],
  )
  expect(severities).toEqual(['critical', undefined])
})

test('TestResourceRemediation: packs remediate one after another, and the last inputs reach the provider and the state', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const createAddingPack = (name: string) =>
    createPack(name, {
      remediate: resource => {
        if (!isThing(resource)) return Promise.resolve(createRemediations())
        const trail = resource.properties.get('trail')
        const properties = new Map(resource.properties).set(
          'trail',
          `${typeof trail === 'string' ? trail : ''}-${name}`,
        )
        return Promise.resolve(createRemediations({ pack: name, properties }))
      },
    })
  const packs = [createAddingPack('one'), createAddingPack('two')]
  const program = createThings({ a: { trail: 'start' } })
  const testRun = await engine.run(program, { packs })
  expect(testRun.result.result).toBe('succeeded')
  expect(policyResultsOf(testRun)).toEqual([
    'remediated one/resource-rule a',
    'remediated two/resource-rule a',
  ])
  expect(cloud.objects.get('a-1')).toEqual({ trail: 'start-one-two' })
  const [thing] = (testRun.state.resources ?? []).filter(({ type }) => type === 'test:index:Thing')
  expect(thing?.['inputs']).toEqual({ trail: 'start-one-two' })
  // A second remediation has the same result, so nothing changes.
  const nextRun = await engine.run(program, { packs })
  expect(nextRun.result.hasChanges).toBe(false)
})

test('TestRemediationDiagnostic: a remediation that only reports a message leaves the inputs unchanged', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const pack = createPack('pack', {
    remediate: resource =>
      Promise.resolve(
        isThing(resource)
          ? createRemediations({ diagnostic: 'cannot be done' })
          : createRemediations(),
      ),
  })
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs: [pack] })
  expect(testRun.result.result).toBe('succeeded')
  expect(policyResultsOf(testRun)).toEqual(['advisory pack/resource-rule a'])
  expect(cloud.objects.get('a-1')).toEqual({ v: 1 })
})

test('TestRemediateFailure: a pack that throws ends the deployment with its message and the resource', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const pack = createPack('pack', {
    remediate: resource =>
      isThing(resource)
        ? Promise.reject(new Error('it is broken'))
        : Promise.resolve(createRemediations()),
  })
  const testRun = await engine.run(createThings({ a: { v: 1 } }), { packs: [pack] })
  expect(testRun.result.result).toBe('failed')
  expect(errorsOf(testRun)).toEqual(['a: failed to run remediation of pack: it is broken'])
  expect(cloud.mutatingCalls).toEqual([])
})

test('a policy error does not contain secrets of the resource', async () => {
  const engine = await engines.open(createCloud())
  const pack = createPack('pack', {
    analyze: resource =>
      isThing(resource)
        ? Promise.reject(new Error('it is broken by hush-hush'))
        : Promise.resolve(createAnalysis()),
  })
  const testRun = await engine.run(createThings({ a: { v: toWireSecret('hush-hush') } }), {
    packs: [pack],
  })
  expect(errorsOf(testRun)).toEqual(['a: failed to run policy of pack: it is broken by [secret]'])
})

test('TestAnalyzeRunsInParallel: all packs analyze a resource at the same time', async () => {
  const engine = await engines.open(createCloud())
  const allAnalyzing = Promise.withResolvers<void>()
  let waitingCount = 0
  const createWaitingPack = (name: string) =>
    createPack(name, {
      analyze: async resource => {
        if (!isThing(resource)) return createAnalysis()
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

test('TestAnalyzerCancellation: a cancellation reaches the packs and ends the run', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const analyzing = Promise.withResolvers<void>()
  let cancelCount = 0
  const pack = createPack('pack', {
    analyze: resource => {
      if (!isThing(resource)) return Promise.resolve(createAnalysis())
      analyzing.resolve()
      return new Promise(() => undefined)
    },
    cancel: () => {
      cancelCount += 1
      return Promise.resolve()
    },
  })
  const testRun = await engine.run(createThings({ a: { v: 1 } }), {
    packs: [pack],
    onStart: running => void analyzing.promise.then(running.cancel),
  })
  expect(testRun.result.result).toBe('cancelled')
  expect(cancelCount).toBeGreaterThan(0)
  expect(cloud.mutatingCalls).toEqual([])
})

test('a violation message does not contain secrets of the resource', async () => {
  const engine = await engines.open(createCloud())
  const packs = [createViolatingPack('pack', { message: 'the word hunter2 is too short' })]
  const program = createThings({ a: { password: toWireSecret('hunter2') } })
  const testRun = await engine.run(program, { packs })
  expect(policyResultsOf(testRun)).toHaveLength(1)
  expect(JSON.stringify(testRun.events)).not.toContain('hunter2')
})
