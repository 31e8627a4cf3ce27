import { childUrnOf, stackType, type Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emptyMap } from '../../../values/value.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { findNewestOldState, isResourceGone } from '../sets.ts'
import { toDecided, type Result } from '../stage.ts'
import { describeProvider, describeResource } from './analyzed-resource.ts'
import { emitViolation, policySummaryOf } from './emit-violation.ts'
import { callPolicyPacks } from './call-policy-packs.ts'

/**
 * Reports whether all policy packs accept the states of the whole stack. Returns false after a
 * mandatory violation. Source: docs/spec/monitor.md#analyzer-service.
 */
export async function isStackAllowed(
  ctx: GeneratorContext,
  states: readonly ResourceState[],
): Promise<Result<boolean>> {
  if (ctx.ports.analyzers.length === 0) return toDecided(true)
  const statesByUrn = new Map(states.map(state => [state.urn, state]))
  const findProvider = (reference: string) => describeProvider(ctx.input, reference, statesByUrn)
  const resources = states.map(state => ({
    ...describeResource(ctx.input, { ...state, properties: state.outputs }, findProvider),
    dependencies: state.dependencies,
    propertyDependencies: state.propertyDependencies,
  }))
  const requestProperties = states.map(({ outputs }) => outputs)
  const analysisResult = await callPolicyPacks(
    ctx,
    { task: 'run stack policy', requestProperties },
    pack => pack.analyzeStack(resources),
  )
  if (analysisResult.kind === 'failed') return analysisResult
  let isAllowed = true
  for (const { pack, answer } of analysisResult.value) {
    for (const violation of answer.violations) {
      const violatingState = statesByUrn.get(violation.urn as Urn)
      const urn = violatingState?.urn ?? rootUrnOf(ctx.input)
      const shownOutputs = violatingState?.outputs ?? emptyMap
      if (emitViolation(ctx.ports, { violation, urn, properties: shownOutputs })) isAllowed = false
    }
    const failedPolicies = answer.violations.map(({ policy }) => policy)
    const summary = policySummaryOf(pack, 'stack', { failedPolicies, ...answer })
    ctx.ports.emitter.emit({ policyAnalyzeStackSummaryEvent: summary })
  }
  return toDecided(isAllowed)
}

/**
 * Returns the states that this run created, changed or kept, and their views. Resources that the
 * program reads are omitted. Call it after the plan of the deletes.
 */
export function listCurrentStates(
  input: Pick<DecisionInput, 'sets' | 'base'>,
): readonly ResourceState[] {
  const { sets } = input
  const states = [...sets.currentStates.values()]
    .filter(({ op, skipReason }) => !op.startsWith('read') && skipReason !== 'not created')
    .map(({ state }) => state)
  // An untargeted resource has an entry under its old URN too, so duplicates are removed.
  return [...new Set([...listUnregisteredStates(input), ...states, ...sets.views.values()])]
}

/**
 * Returns the states of resources that the program does not register, and that stay because they
 * are outside of the scope.
 */
function listUnregisteredStates(
  input: Pick<DecisionInput, 'sets' | 'base'>,
): readonly ResourceState[] {
  const { sets, base } = input
  const keptUrns = new Set<Urn>()
  return base.snapshot.resources.flatMap((state, index) => {
    const { urn, viewOf } = state
    const isOldCopy = state.delete || sets.markedForDeleteIndices.has(index)
    if (isOldCopy || state.external || isResourceGone(sets, index)) return []
    if (sets.condemnedIndices.has(index) || hasNewState(sets, urn)) return []
    // A view stays with its owner, which comes before it.
    if (viewOf !== '' && !keptUrns.has(viewOf)) return []
    keptUrns.add(urn)
    return [findNewestOldState(input, index).state]
  })
}

/** Reports whether this run has a new state under an old URN, or under a URN with that alias. */
function hasNewState(sets: DecisionInput['sets'], urn: Urn): boolean {
  const newUrn = sets.aliasingUrns.get(urn) ?? urn
  return sets.currentStates.has(newUrn) || sets.views.has(urn)
}

function rootUrnOf(input: Pick<DecisionInput, 'stack' | 'project'>): Urn {
  const name = `${input.project}-${input.stack}`
  return childUrnOf(input, undefined, { type: stackType, name })
}
