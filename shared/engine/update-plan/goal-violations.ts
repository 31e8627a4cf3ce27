import { parseProviderReference, unknownStringMarker } from '../../names/provider-reference.ts'
import { isUrn } from '../../names/urn.ts'
import { compareUtf8 } from '../../values/go-json.ts'
import type { PropertyMap } from '../../values/value.ts'
import { findUnplannedChanges } from './planned-difference.ts'
import type { PlannedAlias, PlannedGoal } from './update-plan.ts'

/** A registration in the form that is compared with its planned goal. */
export type ProposedGoal = Omit<PlannedGoal, 'inputs' | 'outputs'>

/**
 * Returns every difference of a registration from its planned goal, one text each. Without a
 * planned goal, the plan expects a delete. Source: docs/spec/step-generation.md#update-plans.
 */
export function findGoalViolations(
  plannedGoal: PlannedGoal | undefined,
  proposedGoal: ProposedGoal,
  inputs: { readonly oldValues: PropertyMap; readonly newValues: PropertyMap },
): readonly string[] {
  if (plannedGoal === undefined) return ['resource unexpectedly not deleted']
  const changes = findUnplannedChanges(inputs.oldValues, inputs.newValues, plannedGoal.inputs)
  return [
    ...findOptionViolations(plannedGoal, proposedGoal),
    ...findSetViolations(plannedGoal, proposedGoal),
    ...(changes.length === 0 ? [] : [`properties changed: ${changes.join(', ')}`]),
    ...findDependencyViolations(plannedGoal, proposedGoal),
  ]
}

/** Returns the differences of registered outputs that the plan does not allow. */
export function findOutputViolations(
  plannedGoal: PlannedGoal | undefined,
  outputs: { readonly oldValues: PropertyMap; readonly newValues: PropertyMap },
): readonly string[] {
  if (plannedGoal === undefined) return ['resource unexpectedly not deleted']
  const changes = findUnplannedChanges(outputs.oldValues, outputs.newValues, plannedGoal.outputs)
  return changes.length === 0 ? [] : [`properties changed: ${changes.join(', ')}`]
}

/** Returns the differences of options that must be identical. */
function findOptionViolations(
  plannedGoal: PlannedGoal,
  proposedGoal: ProposedGoal,
): readonly string[] {
  const violations: string[] = []
  const addUnlessEqual = <T extends string | boolean | number | undefined>(
    label: string,
    expected: T,
    actual: T,
  ): void => {
    if (expected === actual) return
    const text = expected === undefined || expected === '' ? 'no value' : String(expected)
    violations.push(`${label} changed (expected ${text})`)
  }
  addUnlessEqual('type', plannedGoal.type, proposedGoal.type)
  addUnlessEqual('name', plannedGoal.name, proposedGoal.name)
  if (plannedGoal.custom !== proposedGoal.custom)
    violations.push(
      `resource kind changed (expected ${plannedGoal.custom ? 'custom' : 'component'})`,
    )
  if (!isSameProvider(plannedGoal.provider, proposedGoal.provider))
    addUnlessEqual('provider', plannedGoal.provider, proposedGoal.provider)
  addUnlessEqual('parent', plannedGoal.parent, proposedGoal.parent)
  addUnlessEqual('protect', plannedGoal.protect, proposedGoal.protect)
  addUnlessEqual(
    'deleteBeforeReplace',
    plannedGoal.deleteBeforeReplace,
    proposedGoal.deleteBeforeReplace,
  )
  addUnlessEqual('importID', plannedGoal.id, proposedGoal.id)
  for (const key of ['create', 'update', 'delete', 'read'] as const) {
    const [expected, actual] = [
      plannedGoal.customTimeouts[key] ?? 0,
      proposedGoal.customTimeouts[key] ?? 0,
    ]
    addUnlessEqual(`${key} timeout`, expected, actual)
  }
  return violations
}

/**
 * Reports whether a provider reference is the planned one. An id that was unknown in the plan
 * matches any id.
 */
function isSameProvider(plannedReference: string, proposedReference: string): boolean {
  if (plannedReference === proposedReference || plannedReference === '' || proposedReference === '')
    return plannedReference === proposedReference
  const separatorIndex = plannedReference.lastIndexOf('::')
  if (!isUrn(plannedReference.slice(0, separatorIndex))) return false
  const [expected, actual] = [
    parseProviderReference(plannedReference),
    parseProviderReference(proposedReference),
  ]
  return expected.urn === actual.urn && expected.id === unknownStringMarker
}

function findSetViolations(
  plannedGoal: PlannedGoal,
  proposedGoal: ProposedGoal,
): readonly string[] {
  const violations: string[] = []
  for (const key of ['ignoreChanges', 'additionalSecretOutputs', 'dependencies'] as const)
    addSetViolations(violations, key, [plannedGoal[key], proposedGoal[key]])
  addSetViolations(violations, 'aliases', [
    plannedGoal.aliases.map(aliasTextOf),
    proposedGoal.aliases.map(aliasTextOf),
  ])
  return violations
}

function aliasTextOf({ urn, ...spec }: PlannedAlias): string {
  return urn === '' ? JSON.stringify(spec) : urn
}

/**
 * Returns the differences in the dependencies of planned properties. A property that the
 * registration does not have is skipped, because its planned value may have been unknown.
 */
function findDependencyViolations(
  plannedGoal: PlannedGoal,
  proposedGoal: ProposedGoal,
): readonly string[] {
  const violations: string[] = []
  for (const [key, plannedUrns] of plannedGoal.propertyDependencies) {
    const proposedUrns = proposedGoal.propertyDependencies.get(key)
    if (proposedUrns !== undefined)
      addSetViolations(violations, `dependencies for ${key}`, [plannedUrns, proposedUrns])
  }
  return violations
}

function addSetViolations(
  violations: string[],
  label: string,
  [planned, proposed]: readonly [planned: readonly string[], proposed: readonly string[]],
): void {
  const [before, after] = [new Set(planned), new Set(proposed)]
  const added = [...after].filter(item => !before.has(item)).sort(compareUtf8)
  const deleted = [...before].filter(item => !after.has(item)).sort(compareUtf8)
  const parts = [
    ...(added.length === 0 ? [] : [`added ${added.join(', ')}`]),
    ...(deleted.length === 0 ? [] : [`deleted ${deleted.join(', ')}`]),
  ]
  if (parts.length > 0) violations.push(`${label} changed: ${parts.join('; ')}`)
}
