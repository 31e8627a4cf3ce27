import { parseReference, unknownText } from '../../names/provider-reference.ts'
import { isUrn } from '../../names/urn.ts'
import { compareUtf8 } from '../../values/go-json.ts'
import type { PropertyMap } from '../../values/value.ts'
import { findUnplannedChanges } from './planned-difference.ts'
import type { PlannedAlias, PlannedGoal } from './update-plan.ts'

/** A registration in the form that is compared with a plan. */
export type ProposedGoal = Omit<PlannedGoal, 'inputs' | 'outputs'>

/**
 * Returns every difference of a registration from its planned goal, one sentence each. Without a
 * goal the plan expects a delete. Source: docs/spec/step-generation.md#update-plans.
 */
export function findGoalViolations(
  planned: PlannedGoal | undefined,
  proposed: ProposedGoal,
  inputs: { readonly olds: PropertyMap; readonly news: PropertyMap },
): readonly string[] {
  if (planned === undefined) return ['resource unexpectedly not deleted']
  const changes = findUnplannedChanges(inputs.olds, inputs.news, planned.inputs)
  return [
    ...findPlainViolations(planned, proposed),
    ...findSetViolations(planned, proposed),
    ...(changes.length === 0 ? [] : [`properties changed: ${changes.join(', ')}`]),
    ...findDependencyViolations(planned, proposed),
  ]
}

/** Returns the differences of registered outputs that the plan does not allow. */
export function findOutputViolations(
  planned: PlannedGoal | undefined,
  outputs: { readonly olds: PropertyMap; readonly news: PropertyMap },
): readonly string[] {
  if (planned === undefined) return ['resource unexpectedly not deleted']
  const changes = findUnplannedChanges(outputs.olds, outputs.news, planned.outputs)
  return changes.length === 0 ? [] : [`properties changed: ${changes.join(', ')}`]
}

/** Compares options that must be identical. */
function findPlainViolations(planned: PlannedGoal, proposed: ProposedGoal): readonly string[] {
  const found: string[] = []
  const compare = <T extends string | boolean | number | undefined>(
    what: string,
    expected: T,
    actual: T,
  ): void => {
    if (expected === actual) return
    const text = expected === undefined || expected === '' ? 'no value' : String(expected)
    found.push(`${what} changed (expected ${text})`)
  }
  compare('type', planned.type, proposed.type)
  compare('name', planned.name, proposed.name)
  if (planned.custom !== proposed.custom)
    found.push(`resource kind changed (expected ${planned.custom ? 'custom' : 'component'})`)
  if (!isSameProvider(planned.provider, proposed.provider))
    compare('provider', planned.provider, proposed.provider)
  compare('parent', planned.parent, proposed.parent)
  compare('protect', planned.protect, proposed.protect)
  compare('deleteBeforeReplace', planned.deleteBeforeReplace, proposed.deleteBeforeReplace)
  compare('importID', planned.id, proposed.id)
  for (const key of ['create', 'update', 'delete', 'read'] as const) {
    const [expected, actual] = [planned.customTimeouts[key] ?? 0, proposed.customTimeouts[key] ?? 0]
    compare(`${key} timeout`, expected, actual)
  }
  return found
}

/** Compares providers. An id that was unknown in the plan may be any. */
function isSameProvider(planned: string, proposed: string): boolean {
  if (planned === proposed || planned === '' || proposed === '') return planned === proposed
  const at = planned.lastIndexOf('::')
  if (!isUrn(planned.slice(0, at))) return false
  const [expected, actual] = [parseReference(planned), parseReference(proposed)]
  return expected.urn === actual.urn && expected.id === unknownText
}

function findSetViolations(planned: PlannedGoal, proposed: ProposedGoal): readonly string[] {
  const found: string[] = []
  for (const key of ['ignoreChanges', 'additionalSecretOutputs', 'dependencies'] as const)
    compareSets(found, key, [planned[key], proposed[key]])
  compareSets(found, 'aliases', [
    planned.aliases.map(aliasTextOf),
    proposed.aliases.map(aliasTextOf),
  ])
  return found
}

function aliasTextOf({ urn, ...spec }: PlannedAlias): string {
  return urn === '' ? JSON.stringify(spec) : urn
}

/**
 * Compares dependencies. A property that was unknown in the plan and is not set has none to
 * compare.
 */
function findDependencyViolations(planned: PlannedGoal, proposed: ProposedGoal): readonly string[] {
  const found: string[] = []
  for (const [key, urns] of planned.propertyDependencies) {
    const actual = proposed.propertyDependencies.get(key)
    if (actual !== undefined) compareSets(found, `dependencies for ${key}`, [urns, actual])
  }
  return found
}

function compareSets(
  found: string[],
  what: string,
  [planned, proposed]: readonly [planned: readonly string[], proposed: readonly string[]],
): void {
  const [before, after] = [new Set(planned), new Set(proposed)]
  const added = [...after].filter(word => !before.has(word)).sort(compareUtf8)
  const deleted = [...before].filter(word => !after.has(word)).sort(compareUtf8)
  const parts = [
    ...(added.length === 0 ? [] : [`added ${added.join(', ')}`]),
    ...(deleted.length === 0 ? [] : [`deleted ${deleted.join(', ')}`]),
  ]
  if (parts.length > 0) found.push(`${what} changed: ${parts.join('; ')}`)
}
