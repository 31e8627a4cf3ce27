import { describe, expect, test } from 'vitest'
import { nameOf } from '../../names/urn.ts'
import type { Forecast } from '../../records/forecast.ts'
import type { ResourceState } from '../../state/resource.ts'
import { createStateGraph } from '../graph/dependencies.ts'
import type { Step } from '../step.ts'
import {
  createForecastDelete,
  createForecastDurations,
  createForecastState,
  createForecastStep,
  forecastUrnOf,
} from './forecast.fixture.ts'
import { createForecastDraft } from './forecast-draft.ts'

/** Returns the names on the critical path. */
function pathOf({ criticalPath }: Forecast): readonly string[] {
  return criticalPath.steps.map(({ op, urn }) => `${op} ${nameOf(urn)}`)
}

/** Returns the deletes of all states of a graph. `fields`: fields of steps, by resource name. */
function deletesOf(
  states: readonly ResourceState[],
  fields: Readonly<Record<string, Partial<Pick<Step, 'op' | 'skipCall'>>>> = {},
) {
  const condemned = states.map((state, graphIndex) => ({
    graphIndex,
    step: createForecastDelete(state, fields[nameOf(state.urn)]),
  }))
  return { graph: createStateGraph(states), condemned, release: 'dataflow' as const }
}

test('a draft resolves `firstStep` at the first counted step, and an unchanged resource is none', async () => {
  const draft = createForecastDraft()
  let isResolved = false
  void draft.firstStep.then(() => (isResolved = true))
  draft.addReads([])
  draft.addChain([createForecastStep(createForecastState('network'), 'same')])
  draft.addDeletes(deletesOf([]), false)
  await Promise.resolve()
  expect([draft.isEmpty(), isResolved]).toEqual([true, false])
  draft.addChain([createForecastStep(createForecastState('page'))])
  await draft.firstStep
  expect(draft.isEmpty()).toBe(false)
})

describe('steps of a program', () => {
  test('wait for dependencies, parents and providers; an unchanged resource takes no time', () => {
    const draft = createForecastDraft()
    const providerType = 'pulumi:providers:a'
    const provider = createForecastState('p', [], { type: providerType })
    const network = createForecastState('network', [], { provider: `${provider.urn}::id` })
    const group = createForecastState('group', ['network'], { custom: false })
    const server = createForecastState('server', [], { parent: forecastUrnOf('group') })
    const page = createForecastState('page', ['server'])
    draft.addChain([createForecastStep(provider)])
    draft.addChain([createForecastStep(network)])
    draft.addChain([createForecastStep(group, 'same')])
    draft.addChain([createForecastStep(server)])
    draft.addChain([createForecastStep(page, 'update')])
    const durations = createForecastDurations({
      'create network': 30,
      'create server': 20,
      'update page': 10,
    })
    const forecast = draft.compute(durations, 4)
    expect(forecast).toMatchObject({ steps: 4, waves: [1, 1, 1, 1], width: 1, waveCount: 4 })
    expect(forecast).toMatchObject({ wallMs: 60, workMs: 60, estimates: { resource: 3 } })
    expect(pathOf(forecast)).toEqual(['create network', 'create server', 'update page'])
  })

  test('of a replacement run in order, and the old object is deleted after all other steps', () => {
    const draft = createForecastDraft()
    const a = createForecastState('a')
    const b = createForecastState('b')
    draft.addChain([createForecastStep(a, 'create-replacement'), createForecastStep(a, 'replace')])
    draft.addChain([createForecastStep(b, 'create')])
    const old = createForecastDelete(a, { op: 'delete-replaced' })
    const graph = createStateGraph([a])
    draft.addDeletes(
      { graph, condemned: [{ graphIndex: 0, step: old }], release: 'dataflow' },
      false,
    )
    const durations = createForecastDurations({ 'create a': 10, 'create b': 50, 'delete a': 5 })
    const forecast = draft.compute(durations, 4)
    expect(pathOf(forecast)).toEqual(['create b', 'delete-replaced a'])
    expect(forecast).toMatchObject({ wallMs: 55, waves: [2, 1] })
  })

  test('of a replacement that deletes first are one chain', () => {
    const draft = createForecastDraft()
    const a = createForecastState('a')
    draft.addChain([
      createForecastDelete(createForecastState('dependent'), { op: 'delete-replaced' }),
      createForecastDelete(a, { op: 'delete-replaced' }),
      createForecastStep(a, 'create-replacement'),
    ])
    const forecast = draft.compute(createForecastDurations({ 'create a': 10, 'delete a': 5 }), 4)
    // The delete of `dependent` has the default duration of a second.
    expect(forecast).toMatchObject({ wallMs: 1015, waves: [1, 1, 1], estimates: { default: 1 } })
  })

  test('start after the reads of a refresh, which run together', () => {
    const draft = createForecastDraft()
    const states = ['a', 'b', 'c'].map(name => createForecastState(name))
    draft.addReads(states.map(state => createForecastStep(state, 'refresh')))
    draft.addChain([createForecastStep(createForecastState('d'))])
    const durations = createForecastDurations({
      'read a': 1,
      'read b': 2,
      'read c': 3,
      'create d': 9,
    })
    expect(draft.compute(durations, 4)).toMatchObject({ wallMs: 12, waves: [3, 1] })
    expect(draft.compute(durations, 1)).toMatchObject({ wallMs: 15 })
  })
})

describe('deletes', () => {
  const layers = [
    createForecastState('net'),
    createForecastState('db', ['net']),
    createForecastState('web', ['net']),
    createForecastState('page', ['web', 'db']),
  ]
  const durations = createForecastDurations({
    'delete net': 10,
    'delete db': 100,
    'delete web': 20,
    'delete page': 5,
  })

  test('begin with the dependents, and their critical path contains the slowest resource', () => {
    const draft = createForecastDraft()
    draft.addDeletes(deletesOf(layers), false)
    const forecast = draft.compute(durations, 2)
    expect(forecast).toMatchObject({ waves: [1, 2, 1], width: 2, wallMs: 115, keptCount: 0 })
    expect(pathOf(forecast)).toEqual(['delete page', 'delete db', 'delete net'])
  })

  test('wait for whole waves on request', () => {
    const states = [...layers, createForecastState('slow')]
    const slowDurations = createForecastDurations({ 'delete slow': 500, 'delete net': 10 })
    const withDefaults = { ...slowDurations, byType: new Map([['delete a:b:C', 1]]) }
    const freeDraft = createForecastDraft()
    freeDraft.addDeletes(deletesOf(states), false)
    expect(freeDraft.compute(withDefaults, 9).wallMs).toBe(500)
    const waveDraft = createForecastDraft()
    waveDraft.addDeletes({ ...deletesOf(states), release: 'antichain' }, false)
    expect(waveDraft.compute(withDefaults, 9).wallMs).toBe(511)
  })

  test('of protected resources and of their dependencies do not run', () => {
    const states = layers.map(state =>
      nameOf(state.urn) === 'web' ? { ...state, protect: true } : state,
    )
    const draft = createForecastDraft()
    draft.addDeletes(deletesOf(states), false)
    expect(draft.compute(durations, 2)).toMatchObject({
      steps: 2,
      waves: [1, 1],
      wallMs: 105,
      keptCount: 1,
      kept: [
        {
          urn: forecastUrnOf('web'),
          reason: 'protected',
          keepsCount: 1,
          keeps: [forecastUrnOf('net')],
        },
      ],
    })
  })

  test('that exclude protected resources list these resources too', () => {
    const states = layers.map(state =>
      nameOf(state.urn) === 'web' ? { ...state, protect: true } : state,
    )
    const draft = createForecastDraft()
    const { graph, condemned, release } = deletesOf(states)
    const allowed = condemned.filter(({ step }) => /page|db/.test(step.urn))
    draft.addDeletes({ graph, condemned: allowed, release }, true)
    const forecast = draft.compute(durations, 2)
    expect(forecast.kept).toMatchObject([
      { urn: forecastUrnOf('web'), keeps: [forecastUrnOf('net')] },
    ])
    expect(forecast).toMatchObject({ steps: 2, wallMs: 105 })
  })

  test('that exclude a protected resource without a parent also delete the stack', () => {
    const stack = createForecastState('dev', [], { type: 'pulumi:pulumi:Stack', custom: false })
    const database = createForecastState('db', [], { protect: true })
    const { graph, condemned, release } = deletesOf([stack, database])
    const excludingDraft = createForecastDraft()
    excludingDraft.addDeletes({ graph, condemned: condemned.slice(0, 1), release }, true)
    expect(excludingDraft.compute(durations, 2)).toMatchObject({
      steps: 1,
      kept: [{ urn: database.urn, keepsCount: 0, keeps: [] }],
    })
    const draft = createForecastDraft()
    draft.addDeletes({ graph, condemned, release }, false)
    expect(draft.compute(durations, 2)).toMatchObject({
      steps: 0,
      kept: [{ urn: database.urn, keepsCount: 1, keeps: [stack.urn] }],
    })
  })

  test('of retained resources make no call, and keep the objects that are deleted with them', () => {
    const database = createForecastState('db', [], { retainOnDelete: true })
    const table = createForecastState('table', [], { deletedWith: forecastUrnOf('db') })
    const index = createForecastState('index', [], { deletedWith: forecastUrnOf('table') })
    const draft = createForecastDraft()
    const skipped = { skipCall: true }
    draft.addDeletes(
      deletesOf([database, table, index], { db: skipped, table: skipped, index: skipped }),
      false,
    )
    expect(draft.compute(durations, 2)).toMatchObject({
      workMs: 0,
      criticalPath: { ms: 0, stepCount: 0, steps: [] },
      kept: [
        {
          urn: forecastUrnOf('db'),
          reason: 'retained',
          keepsCount: 2,
          keeps: [forecastUrnOf('table'), forecastUrnOf('index')],
        },
      ],
    })
  })

  test('of 100,000 resources need no quadratic work', () => {
    const states = Array.from({ length: 100_000 }, (_, index) =>
      createForecastState(
        `n${index}`,
        index < 10 ? [] : [`n${index - 10}`, `n${Math.floor(index / 2)}`],
      ),
    )
    const deletes = deletesOf(states)
    const draft = createForecastDraft()
    const startMs = performance.now()
    draft.addDeletes(deletes, false)
    const forecast = draft.compute(durations, 16)
    // Quadratic work would take minutes. docs/benchmarks.md has the measured time.
    expect(performance.now() - startMs).toBeLessThan(20_000)
    expect(forecast.steps).toBe(100_000)
    expect(forecast.waves.length).toBe(50)
    expect(forecast.criticalPath.steps.length).toBe(50)
    expect(forecast.waveCount).toBeGreaterThan(1_000)
  })
})
