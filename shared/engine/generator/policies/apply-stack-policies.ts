import { childUrnOf, stackType, type Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emptyMap } from '../../../values/value.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { decided, type Result } from '../stage.ts'
import { describeProvider, describeResource } from './analyzed-resource.ts'
import { emitViolation, policySummaryOf } from './policy-violations.ts'
import { requestPacks } from './request-packs.ts'

/**
 * Lets all packs judge the states of the whole stack. False after a mandatory violation. Source:
 * docs/spec/monitor.md#analyzer-service.
 */
export async function isStackAllowed(
  ctx: GeneratorContext,
  states: readonly ResourceState[],
): Promise<Result<boolean>> {
  if (ctx.ports.analyzers.length === 0) return decided(true)
  const byUrn = new Map(states.map(state => [state.urn, state]))
  const providerIn = (reference: string) => describeProvider(ctx.input, reference, byUrn)
  const resources = states.map(state => ({
    ...describeResource(ctx.input, { ...state, properties: state.outputs }, providerIn),
    dependencies: state.dependencies,
    propertyDependencies: state.propertyDependencies,
  }))
  const known = states.map(({ outputs }) => outputs)
  const analyzed = await requestPacks(ctx, { what: 'run stack policy', known }, pack =>
    pack.analyzeStack(resources),
  )
  if (analyzed.kind === 'failed') return analyzed
  let isAllowed = true
  for (const { pack, answer } of analyzed.value) {
    for (const violation of answer.violations) {
      const violating = byUrn.get(violation.urn as Urn)
      const urn = violating?.urn ?? rootUrnOf(ctx.input)
      const shown = violating?.outputs ?? emptyMap
      if (emitViolation(ctx.ports, { violation, urn, known: shown })) isAllowed = false
    }
    const failed = answer.violations.map(({ policy }) => policy)
    const summary = policySummaryOf(pack, 'stack', { failed, ...answer })
    ctx.ports.emitter.emit({ policyAnalyzeStackSummaryEvent: summary })
  }
  return decided(isAllowed)
}

/** Returns the states that this run created or kept; resources that it only read are left out. */
export function listCurrentStates({ sets }: Pick<DecisionInput, 'sets'>): readonly ResourceState[] {
  const states = [...sets.current.values()]
    .filter(({ op, skipReason }) => !op.startsWith('read') && skipReason !== 'not made')
    .map(({ state }) => state)
  // An untargeted resource is listed under its old name too.
  return [...new Set([...states, ...sets.views.values()])]
}

function rootUrnOf(input: Pick<DecisionInput, 'stack' | 'project'>): Urn {
  const name = `${input.project}-${input.stack}`
  return childUrnOf(input, undefined, { type: stackType, name })
}
