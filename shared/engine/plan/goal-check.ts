import { parseReference, unknownText } from '../../names/provider-reference.ts'
import { isUrn } from '../../names/urn.ts'
import { compareUtf8 } from '../../values/go-json.ts'
import type { PropertyMap } from '../../values/value.ts'
import { unplannedChanges } from './planned-difference.ts'
import type { PlannedAlias, PlannedGoal } from './update-plan.ts'

/** A registration as it is held against a plan. */
export type ProposedGoal = Omit<PlannedGoal, 'inputs' | 'outputs'>

/**
 * Everything in which a registration differs from its planned goal, a sentence each. Without a
 * goal the plan expects a delete. Source: docs/spec/step-generation.md#update-plans.
 */
export function goalViolations(
  planned: PlannedGoal | undefined,
  proposed: ProposedGoal,
  inputs: { readonly olds: PropertyMap; readonly news: PropertyMap },
): readonly string[] {
  if (planned === undefined) return ['resource unexpectedly not deleted']
  const changes = unplannedChanges(inputs.olds, inputs.news, planned.inputs)
  return [
    ...plainViolations(planned, proposed),
    ...setViolations(planned, proposed),
    ...(changes.length === 0 ? [] : [`properties changed: ${changes.join(', ')}`]),
    ...dependencyViolations(planned, proposed),
  ]
}

/** What registered outputs have that their plan does not allow. */
export function outputViolations(
  planned: PlannedGoal | undefined,
  outputs: { readonly olds: PropertyMap; readonly news: PropertyMap },
): readonly string[] {
  if (planned === undefined) return ['resource unexpectedly not deleted']
  const changes = unplannedChanges(outputs.olds, outputs.news, planned.outputs)
  return changes.length === 0 ? [] : [`properties changed: ${changes.join(', ')}`]
}

/** Options that must be the very same. */
function plainViolations(planned: PlannedGoal, proposed: ProposedGoal): readonly string[] {
  const found: string[] = []
  const same = <T extends string | boolean | number | undefined>(
    what: string,
    expected: T,
    actual: T,
  ): void => {
    if (expected === actual) return
    const words = expected === undefined || expected === '' ? 'no value' : String(expected)
    found.push(`${what} changed (expected ${words})`)
  }
  same('type', planned.type, proposed.type)
  same('name', planned.name, proposed.name)
  if (planned.custom !== proposed.custom)
    found.push(`resource kind changed (expected ${planned.custom ? 'custom' : 'component'})`)
  if (!isSameProvider(planned.provider, proposed.provider))
    same('provider', planned.provider, proposed.provider)
  same('parent', planned.parent, proposed.parent)
  same('protect', planned.protect, proposed.protect)
  same('deleteBeforeReplace', planned.deleteBeforeReplace, proposed.deleteBeforeReplace)
  same('importID', planned.id, proposed.id)
  for (const key of ['create', 'update', 'delete', 'read'] as const) {
    const [expected, actual] = [planned.customTimeouts[key] ?? 0, proposed.customTimeouts[key] ?? 0]
    same(`${key} timeout`, expected, actual)
  }
  return found
}

/** An id that was unknown in the plan may be any. */
function isSameProvider(planned: string, proposed: string): boolean {
  if (planned === proposed || planned === '' || proposed === '') return planned === proposed
  const at = planned.lastIndexOf('::')
  if (!isUrn(planned.slice(0, at))) return false
  const [expected, actual] = [parseReference(planned), parseReference(proposed)]
  return expected.urn === actual.urn && expected.id === unknownText
}

function setViolations(planned: PlannedGoal, proposed: ProposedGoal): readonly string[] {
  const found: string[] = []
  for (const key of ['ignoreChanges', 'additionalSecretOutputs', 'dependencies'] as const)
    pushSet(found, key, [planned[key], proposed[key]])
  pushSet(found, 'aliases', [planned.aliases.map(wordsOf), proposed.aliases.map(wordsOf)])
  return found
}

function wordsOf({ urn, ...spec }: PlannedAlias): string {
  return urn === '' ? JSON.stringify(spec) : urn
}

/** A property that was unknown in the plan and is not set has no dependencies to compare. */
function dependencyViolations(planned: PlannedGoal, proposed: ProposedGoal): readonly string[] {
  const found: string[] = []
  for (const [key, urns] of planned.propertyDependencies) {
    const actual = proposed.propertyDependencies.get(key)
    if (actual !== undefined) pushSet(found, `dependencies for ${key}`, [urns, actual])
  }
  return found
}

function pushSet(
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
