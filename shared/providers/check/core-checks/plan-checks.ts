import { hasCode } from '../../../errors/error.ts'
import type { ProviderFlaw } from '../../terraform/plan/object-shape.ts'
import { findPlanFlaws } from '../../terraform/plan/plan-flaws.ts'
import { filterReplacePaths } from '../../terraform/plan/replace-paths.ts'
import { findWriteOnlyPaths } from '../../terraform/plan/write-only.ts'
import { readAttributePath } from '../../terraform/values/attribute-path.ts'
import { formatCtyPath, formatPlace } from '../../terraform/values/cty-path.ts'
import { type DecodedPlan, decodeState, hasErrors, listPlans } from './decoded-calls.ts'
import type { CoreCheckSubject } from './recorded-calls.ts'

/** Formats flaws with their places. */
export function formatFlaws(flaws: readonly ProviderFlaw[]): readonly string[] {
  return flaws.map(({ message, path }) => `${message}${formatPlace(path)}`)
}

/** Finds planned states with another type than the schema. */
export function findPlanTypeFlaws({ resource, calls }: CoreCheckSubject): readonly string[] {
  return calls.plans.flatMap(({ response }) => {
    const state = decodeState(resource, response.plannedState)
    return !hasErrors(response) && 'flaw' in state ? [state.flaw] : []
  })
}

/** Reports whether a plan is the plan of a deletion. */
const isDeletion = ({ config }: DecodedPlan): boolean => config.kind === 'null'

/** Returns the contradictions between a plan and its configuration. */
export function findFlawsOfPlan(
  { resource }: CoreCheckSubject,
  plan: DecodedPlan,
): readonly string[] {
  return isDeletion(plan) ? [] : formatFlaws(findPlanFlaws(resource.block, plan))
}

/** Finds plans that contradict the configuration, outside of the legacy type system. */
export function findInvalidPlans(subject: CoreCheckSubject): readonly string[] {
  return listPlans(subject)
    .filter(plan => !plan.isLegacy && findPlannedLeaks(subject, plan).length === 0)
    .flatMap(plan => findFlawsOfPlan(subject, plan))
}

function findPlannedLeaks(
  { resource }: CoreCheckSubject,
  { planned }: DecodedPlan,
): readonly string[] {
  return findWriteOnlyPaths(resource.block, planned).map(
    path => `a write-only attribute has a planned value${formatPlace(path)}`,
  )
}

/** Finds planned values of write-only attributes. */
export function findPlannedWriteOnlyValues(subject: CoreCheckSubject): readonly string[] {
  return listPlans(subject).flatMap(plan => findPlannedLeaks(subject, plan))
}

/** Finds paths that require a replacement although they do not exist or do not change. */
export function findReplaceFlaws(subject: CoreCheckSubject): readonly string[] {
  const { block, type } = subject.resource
  return listPlans(subject).flatMap(plan => {
    if (plan.prior.kind === 'null' || isDeletion(plan)) return []
    return plan.requiresReplace.flatMap(steps => {
      try {
        const path = readAttributePath(steps, type)
        const { paths, flaws } = filterReplacePaths(block, plan, [path])
        if (flaws.length > 0) return formatFlaws(flaws)
        return paths.length > 0
          ? []
          : [`'${formatCtyPath(path)}' requires a replacement, but does not change`]
      } catch (thrown) {
        if (!hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) throw thrown
        return [thrown.message]
      }
    })
  })
}

/** Finds plans of deletions whose planned state is not null. */
export function findDestroyFlaws(subject: CoreCheckSubject): readonly string[] {
  return listPlans(subject).flatMap(plan =>
    isDeletion(plan) && plan.planned.kind !== 'null'
      ? ['the planned state of a deletion is not null']
      : [],
  )
}

/** Finds deferred responses. The check never allows them. */
export function findDeferrals({ calls }: CoreCheckSubject): readonly string[] {
  const describe =
    (call: string) =>
    ({ response }: { response: { deferralReason: string | undefined } }): readonly string[] =>
      response.deferralReason === undefined
        ? []
        : [`${call} is deferred (${response.deferralReason})`]
  return [...calls.plans.flatMap(describe('a plan')), ...calls.reads.flatMap(describe('a refresh'))]
}
