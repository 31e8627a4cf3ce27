import { findInconsistencies } from '../../terraform/plan/object-inconsistencies.ts'
import { findWriteOnlyPaths } from '../../terraform/plan/write-only.ts'
import { formatPlace } from '../../terraform/values/cty-path.ts'
import { listSensitivePaths } from '../../terraform/values/sensitive-paths.ts'
import { unknownPathsOf } from '../../terraform/values/walk-value.ts'
import {
  type DecodedApply,
  decodeState,
  hasErrors,
  listApplies,
  listPlans,
} from './decoded-calls.ts'
import { findFlawsOfPlan, formatFlaws } from './plan-checks.ts'
import type { CoreCheckSubject } from './recorded-calls.ts'

/** Finds new states with another type than the schema. */
export function findApplyTypeFlaws({ resource, calls }: CoreCheckSubject): readonly string[] {
  return calls.applies.flatMap(({ response }) => {
    const state = decodeState(resource, response.newState)
    return !hasErrors(response) && 'flaw' in state ? [state.flaw] : []
  })
}

/** Finds unknown values in new states. */
export function findUnknownResults(subject: CoreCheckSubject): readonly string[] {
  return listApplies(subject).flatMap(({ actual }) =>
    unknownPathsOf(actual).map(path => `a value is still unknown${formatPlace(path)}`),
  )
}

/** Finds objects that vanished in their creation or update, or that outlived their deletion. */
export function findPresenceFlaws(subject: CoreCheckSubject): readonly string[] {
  return listApplies(subject).flatMap(({ planned, actual }) => {
    if ((planned.kind === 'null') === (actual.kind === 'null')) return []
    return planned.kind === 'null'
      ? ['the object still exists after its deletion']
      : ['the object does not exist after its creation or update']
  })
}

/** Finds values of write-only attributes in new states. */
export function findWriteOnlyResults(subject: CoreCheckSubject): readonly string[] {
  return listApplies(subject).flatMap(apply => findLeaks(subject, apply))
}

function findLeaks({ resource }: CoreCheckSubject, { actual }: DecodedApply): readonly string[] {
  return findWriteOnlyPaths(resource.block, actual).map(
    path => `a write-only attribute has a value${formatPlace(path)}`,
  )
}

/**
 * Finds new states that differ from their plans, outside of the legacy type system. A state that
 * breaks another rule is not compared.
 */
export function findInconsistentResults(subject: CoreCheckSubject): readonly string[] {
  return listApplies(subject)
    .filter(({ isLegacy }) => !isLegacy)
    .flatMap(apply => findFlawsOfApply(subject, apply))
}

function findFlawsOfApply(subject: CoreCheckSubject, apply: DecodedApply): readonly string[] {
  const { planned, actual } = apply
  const { block } = subject.resource
  const isComparable =
    planned.kind !== 'null' &&
    actual.kind !== 'null' &&
    unknownPathsOf(actual).length === 0 &&
    findLeaks(subject, apply).length === 0
  if (!isComparable) return []
  const sensitivePaths = listSensitivePaths(block, actual)
  return formatFlaws(findInconsistencies(block, { planned, actual }, sensitivePaths))
}

/** Finds the contradictions that Terraform's core tolerates for the legacy type system. */
export function findLegacyFlaws(subject: CoreCheckSubject): readonly string[] {
  return [
    ...listPlans(subject)
      .filter(({ isLegacy }) => isLegacy)
      .flatMap(plan => findFlawsOfPlan(subject, plan)),
    ...listApplies(subject)
      .filter(({ isLegacy }) => isLegacy)
      .flatMap(apply => findFlawsOfApply(subject, apply)),
  ]
}
