import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planDeletes } from '../../shared/engine/generator/deletion/plan-deletes.ts'
import type { PlanWait } from '../../shared/engine/generator/deletion/place-nodes.ts'
import { findDeleteEdges } from '../../shared/engine/graph/delete-edges.ts'
import { createStateGraph } from '../../shared/engine/graph/dependencies.ts'
import { limits } from '../../shared/config/limits.ts'
import { wavesOf } from '../../shared/engine/graph/waves.ts'
import type { PlannedOperation } from '../../shared/engine/deployment/dispatch/hook-operations.ts'
import type { Sealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import { stepOf } from '../../shared/engine/step.ts'
import type { Urn } from '../../shared/names/urn.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import { type PlanRun, executePlan, type RunFaults } from './executing.fixture.ts'
import { expectedDependentsOf, stacks } from './stacks.fixture.ts'

/** A stack with resources to delete, and the faults of the run. */
interface DeleteCase {
  readonly states: readonly ResourceState[]
  readonly condemned: ReadonlySet<number>
  readonly faults: RunFaults
}

const cases: fc.Arbitrary<DeleteCase> = fc
  .record({
    states: stacks,
    deletesEverything: fc.boolean(),
    keptIndices: fc.array(fc.nat(), { maxLength: 5 }),
    refused: fc.array(fc.nat(), { maxLength: 4 }),
    deaths: fc.array(fc.nat({ max: 60 }), { maxLength: 3 }),
    queuePositions: fc.array(fc.nat(), { minLength: 1, maxLength: 9 }),
  })
  .map(({ states, deletesEverything, keptIndices, refused, deaths, queuePositions }) => {
    const condemned = new Set(states.keys())
    // A kept resource keeps its dependencies, as in any program.
    const kept = deletesEverything ? [] : keptIndices.map(index => index % states.length)
    for (let index = kept.pop(); index !== undefined; index = kept.pop()) {
      condemned.delete(index)
      for (const [to, dependents] of expectedDependentsOf(states))
        if (dependents.has(index) && condemned.has(to)) kept.push(to)
    }
    const custom = states.filter(state => state.custom)
    const urns = refused.flatMap(index => custom[index % Math.max(1, custom.length)]?.urn ?? [])
    return { states, condemned, faults: { refusedUrns: new Set(urns), deaths, queuePositions } }
  })

const sealing = { seal: () => ({}) } as unknown as Sealing

function planOf(
  { states, condemned }: DeleteCase,
  waitMode: PlanWait,
  concurrencyMax?: number,
): readonly PlannedOperation[] {
  let lastId = 0
  const steps = [...condemned].map(index => {
    const state = states[index] as ResourceState
    const ref = { kind: 'base', epoch: 1, index, urn: state.urn } as const
    const old = { state, ref }
    const step = stepOf({ op: 'delete', effect: 'remove', old, skipCall: !state.custom })
    return { graphIndex: index, step }
  })
  const nextId = (): OperationId => (lastId += 1) as OperationId
  return planDeletes(createStateGraph(states), steps, {
    sealing,
    nextId,
    waitMode,
    ...(concurrencyMax === undefined ? {} : { concurrencyMax }),
  })
}

/** Returns the resources that are deleted when every possible delete is tried. */
function findExpectedDeletions({ states, condemned, faults }: DeleteCase): ReadonlySet<Urn> {
  const dependents = expectedDependentsOf(states)
  const gone = new Set<Urn>()
  for (let index = states.length - 1; index >= 0; index--) {
    const urn = (states[index] as ResourceState).urn
    const isFree = [...(dependents.get(index) ?? [])].every(
      dependent => !condemned.has(dependent) || gone.has((states[dependent] as ResourceState).urn),
    )
    if (condemned.has(index) && isFree && !faults.refusedUrns.has(urn)) gone.add(urn)
  }
  return gone
}

/** Checks that every begin comes after the success of all dependents that are deleted. */
function checkOrder({ states, condemned }: DeleteCase, { log }: PlanRun): void {
  const indexByUrn = new Map(states.map((state, index) => [state.urn, index]))
  const dependents = expectedDependentsOf(states)
  const gone = new Set<number>()
  for (const [event, urn] of log) {
    const index = indexByUrn.get(urn) ?? -1
    if (event === 'succeeded') gone.add(index)
    if (event !== 'begun') continue
    for (const dependent of dependents.get(index) ?? [])
      expect(
        !condemned.has(dependent) || gone.has(dependent),
        `${urn} before ${states[dependent]?.urn}`,
      ).toBe(true)
  }
}

const findWaves = ({ states, condemned }: DeleteCase): readonly (readonly number[])[] =>
  wavesOf([...condemned], findDeleteEdges(createStateGraph(states), condemned))

const waitModes: readonly PlanWait[] = ['for dependents', 'for whole waves', 'for waves to end']

describe.each(waitModes)('deletes that wait %s', waitMode => {
  test('delete everything if the provider refuses none, dependents first, even if executors die', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async testCase => {
        const faults = { ...testCase.faults, refusedUrns: new Set<Urn>() }
        const testRun = await executePlan(planOf(testCase, waitMode), faults)
        expect([...testRun.deletions].sort()).toEqual(
          [...findExpectedDeletions({ ...testCase, faults })].sort(),
        )
        expect(testRun.deletions.size).toBe(testCase.condemned.size)
        checkOrder(testCase, testRun)
      }),
    )
  })

  test('need and release at most 32 others each', () => {
    fc.assert(
      fc.property(cases, testCase => {
        for (const { operation } of planOf(testCase, waitMode)) {
          expect(operation.needs).toBeLessThanOrEqual(limits.edgesPerOperationMax)
          expect(operation.releases.length).toBeLessThanOrEqual(limits.edgesPerOperationMax)
        }
      }),
    )
  })
})

describe('deletes that continue after a failure', () => {
  test.each(['for dependents', 'for waves to end'] as const)(
    'and wait %s delete everything except the dependencies of a refused one, in order',
    async waitMode => {
      await fc.assert(
        fc.asyncProperty(cases, async testCase => {
          const testRun = await executePlan(planOf(testCase, waitMode), testCase.faults)
          expect([...testRun.deletions].sort()).toEqual([...findExpectedDeletions(testCase)].sort())
          expect(testRun.arrivalsMax).toBeLessThanOrEqual(limits.edgesPerOperationMax)
          checkOrder(testCase, testRun)
        }),
      )
    },
  )
})

describe('deletes of a stack with protected resources', () => {
  test.each(waitModes)(
    'that wait %s keep these and their dependencies, and nothing else',
    async waitMode => {
      await fc.assert(
        fc.asyncProperty(cases, async testCase => {
          const kept = testCase.faults.refusedUrns
          const states = testCase.states.map(state =>
            kept.has(state.urn) ? { ...state, protect: true } : state,
          )
          const faults = { ...testCase.faults, refusedUrns: new Set<Urn>() }
          const testRun = await executePlan(planOf({ ...testCase, states }, waitMode), faults)
          expect([...testRun.deletions].sort()).toEqual([...findExpectedDeletions(testCase)].sort())
          checkOrder(testCase, testRun)
        }),
      )
    },
  )
})

describe('deletes with a limit of concurrent operations', () => {
  test('never exceed it, and delete the same as without a limit', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 1, max: 6 }), async (testCase, concurrencyMax) => {
        const testRun = await executePlan(
          planOf(testCase, 'for dependents', concurrencyMax),
          testCase.faults,
        )
        expect([...testRun.deletions].sort()).toEqual([...findExpectedDeletions(testCase)].sort())
        checkOrder(testCase, testRun)
        const openUrns = new Set<Urn>()
        for (const [event, urn] of testRun.log) {
          if (event === 'begun') openUrns.add(urn)
          else openUrns.delete(urn)
          expect(openUrns.size).toBeLessThanOrEqual(concurrencyMax)
        }
      }),
    )
  })
})

describe('waves', () => {
  test('are over, as far as possible, before the next one begins', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async testCase => {
        const { log } = await executePlan(planOf(testCase, 'for waves to end'), testCase.faults)
        const waves = findWaves(testCase)
        const waveOf = new Map(
          waves.flatMap((wave, number) =>
            wave.map(index => [(testCase.states[index] as ResourceState).urn, number] as const),
          ),
        )
        const lastEnd = new Map<number, number>()
        const firstBegin = new Map<number, number>()
        log.forEach(([event, urn], moment) => {
          const wave = waveOf.get(urn) ?? -1
          if (event !== 'begun') lastEnd.set(wave, moment)
          else if (!firstBegin.has(wave)) firstBegin.set(wave, moment)
        })
        for (const [wave, moment] of firstBegin)
          for (const [other, ended] of lastEnd)
            if (other < wave) expect(ended, `wave ${other} and ${wave}`).toBeLessThan(moment)
      }),
    )
  })

  test('that must be deleted completely end the plan after the first wave with a refused delete', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async testCase => {
        const testRun = await executePlan(planOf(testCase, 'for whole waves'), testCase.faults)
        const { refusedUrns } = testCase.faults
        const urnsOf = (wave: readonly number[]): readonly Urn[] =>
          wave.map(index => (testCase.states[index] as ResourceState).urn)
        const waves = findWaves(testCase).map(urnsOf)
        const stopIndex = waves.findIndex(wave => wave.some(urn => refusedUrns.has(urn)))
        const begun = stopIndex < 0 ? waves : waves.slice(0, stopIndex + 1)
        const expected = begun.flat().filter(urn => !refusedUrns.has(urn))
        expect([...testRun.deletions].sort()).toEqual([...expected].sort())
      }),
    )
  })
})
