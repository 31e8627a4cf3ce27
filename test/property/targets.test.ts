import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listDependencies } from '../../shared/engine/graph/closures.ts'
import { isProviderType, providerUrnOf } from '../../shared/names/provider-reference.ts'
import type { Step } from '../../shared/engine/step.ts'
import type { Urn } from '../../shared/names/urn.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import {
  type TargetCase,
  targetCases,
  type TargetDecisions,
  decideTargets,
  oldStatesOf,
} from './targets.fixture.ts'

const opsWithoutChange = new Set(['same', 'replace'])

/** Returns the changed, created or deleted URNs, without providers, which need no target. */
function findTouched(steps: readonly Step[]): readonly Urn[] {
  return steps.flatMap(({ op, type, urn }) =>
    opsWithoutChange.has(op) || isProviderType(type) ? [] : [urn],
  )
}

/**
 * Returns some URNs and their transitive dependents, derived from the rules. `source` names the
 * resources that count: those of the program or those of the state. A registered provider is
 * updated even if it depends on an excluded resource, so its dependents are not excluded for that
 * reason.
 */
function findClosure(
  { nodes, targeting }: TargetCase,
  roots: readonly string[],
  source: 'program' | 'state',
): ReadonlySet<string> {
  const reachableUrns = new Set<string>(roots)
  const omittedChange = source === 'program' ? 'dropped' : 'new'
  const presentNodes = nodes.filter(({ change }) => change !== omittedChange)
  const presentUrns = new Set<string>(presentNodes.map(({ urn }) => urn))
  for (const { urn, type, parent, provider, dependencies } of presentNodes) {
    if (source === 'program' && isProviderType(type) && targeting.targets.length === 0) continue
    const predecessors = [parent, ...dependencies, providerUrnOf(provider) ?? '']
    if (
      predecessors.some(
        predecessor => presentUrns.has(predecessor) && reachableUrns.has(predecessor),
      )
    )
      reachableUrns.add(urn)
  }
  return reachableUrns
}

/** Returns the state after the decisions. */
function applySteps(decided: TargetDecisions): readonly ResourceState[] {
  const removedIndices = new Set<number>()
  const newStates: ResourceState[] = []
  const changes = decided.steps.filter(({ op }) => op !== 'same')
  for (const { old, next, effect } of [...changes, ...decided.writtenSteps, ...decided.deletes]) {
    if (next !== undefined && effect !== 'none') newStates.push(next)
    const removesOld = ['replace', 'remove', 'add-mark'].includes(effect)
    if (removesOld && old?.ref.kind === 'base') removedIndices.add(old.ref.index)
  }
  return [
    ...decided.base.snapshot.resources.filter((_, index) => !removedIndices.has(index)),
    ...newStates,
  ]
}

describe('targets', () => {
  test('only targets change, and on request their dependents', async () => {
    await fc.assert(
      fc.asyncProperty(targetCases, fc.boolean(), async (targetCase, runsProgram) => {
        const { targets, targetDependents } = targetCase.targeting
        fc.pre(targets.length > 0)
        const decided = await decideTargets(targetCase, runsProgram)
        const findTargeted = (source: 'program' | 'state'): readonly string[] =>
          targetDependents ? [...findClosure(targetCase, targets, source)] : targets
        for (const urn of findTouched(decided.steps)) expect(findTargeted('program')).toContain(urn)
        for (const urn of findTouched(decided.deletes))
          expect([...findTargeted('state'), ...findTargeted('program')]).toContain(urn)
      }),
    )
  })

  test('an excluded resource never changes, and its dependencies are not deleted', async () => {
    await fc.assert(
      fc.asyncProperty(targetCases, fc.boolean(), async (targetCase, runsProgram) => {
        const { excludes, excludeDependents } = targetCase.targeting
        fc.pre(excludes.length > 0)
        const decided = await decideTargets(targetCase, runsProgram)
        const findExcluded = (source: 'program' | 'state'): readonly string[] =>
          excludeDependents ? [...findClosure(targetCase, excludes, source)] : excludes
        for (const urn of findTouched(decided.steps))
          expect(findExcluded('program')).not.toContain(urn)
        // A dependent of a resource that does not exist yet does not prevent any delete.
        const stateUrns = new Set<string>(oldStatesOf(targetCase).map(({ urn }) => urn))
        const keptUrns = excludes.every(urn => stateUrns.has(urn))
          ? findExcluded('state')
          : excludes
        for (const urn of findTouched(decided.deletes)) expect(keptUrns).not.toContain(urn)
        const deletedUrns = new Set(decided.deletes.map(({ urn }) => urn))
        for (const state of oldStatesOf(targetCase))
          if (excludes.includes(state.urn))
            for (const { urn } of listDependencies(state))
              expect([...deletedUrns]).not.toContain(urn)
      }),
    )
  })

  test('after any decision, all references of a state exist', async () => {
    await fc.assert(
      fc.asyncProperty(targetCases, fc.boolean(), async (targetCase, runsProgram) => {
        const states = applySteps(await decideTargets(targetCase, runsProgram))
        const stateUrns = new Set(states.map(({ urn }) => urn))
        for (const state of states) {
          for (const { urn } of listDependencies(state)) expect([...stateUrns]).toContain(urn)
          const provider = providerUrnOf(state.provider)
          if (provider !== undefined) expect([...stateUrns]).toContain(provider)
        }
      }),
    )
  })

  test('kept unregistered resources are reported as unchanged, each once', async () => {
    await fc.assert(
      fc.asyncProperty(targetCases, async targetCase => {
        const decided = await decideTargets(targetCase, true)
        fc.pre(decided.errors.length === 0)
        const order = decided.steps.filter(({ op }) => op === 'same').map(({ urn }) => urn)
        const dropped = new Set(
          targetCase.nodes.filter(({ change }) => change === 'dropped').map(({ urn }) => urn),
        )
        const deletedUrns = new Set(decided.deletes.map(({ urn }) => urn))
        for (const state of oldStatesOf(targetCase)) {
          if (!dropped.has(state.urn) || deletedUrns.has(state.urn)) continue
          expect(order.filter(urn => urn === state.urn)).toEqual([state.urn])
        }
      }),
    )
  })
})
