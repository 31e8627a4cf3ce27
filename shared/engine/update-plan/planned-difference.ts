import { compareUtf8 } from '../../values/go-json.ts'
import { areEqualValues } from '../../values/equal.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { containsSecret, redactMap } from '../../values/special-values.ts'
import { matchesPlanned, isUnknown } from './planned-value.ts'
import type { PlannedDifference } from './update-plan.ts'

/** The kind of change of a property. */
type ChangeKind = 'add' | 'update' | 'delete' | 'same'

/** The signs of changes in messages. */
const signs: Readonly<Record<ChangeKind, string>> = {
  add: '+',
  update: '~',
  delete: '-',
  same: '=',
}

/** Returns the planned difference between old and new properties. */
export function createPlannedDifference(
  oldValues: PropertyMap,
  newValues: PropertyMap,
): PlannedDifference {
  const adds = new Map<string, PropertyValue>()
  const updates = new Map<string, PropertyValue>()
  const deletes: string[] = []
  for (const key of keysOf(oldValues, newValues)) {
    const [before, after] = [oldValues.get(key) ?? null, newValues.get(key) ?? null]
    if (areEqualValues(before, after)) continue
    if (before === null) adds.set(key, after)
    else if (after === null) deletes.push(key)
    else updates.set(key, after)
  }
  return { adds, deletes, updates }
}

/**
 * Returns the changes from old to new properties that a plan does not allow, sorted, one text per
 * property. A text contains the sign of the planned change, the sign of the actual change, the name
 * and the values. A planned unknown value allows any value or none. Source:
 * docs/spec/step-generation.md#update-plans.
 */
export function findUnplannedChanges(
  oldValues: PropertyMap,
  newValues: PropertyMap,
  plannedDifference: PlannedDifference,
): readonly string[] {
  const changes = new Map<string, ChangeKind>()
  for (const key of keysOf(oldValues, newValues))
    changes.set(key, changeKindOf(oldValues, newValues, key))
  const hasAnyChange = [...changes.values()].some(change => change !== 'same')
  const plannedKeys = [
    ...plannedDifference.adds.keys(),
    ...plannedDifference.updates.keys(),
    ...plannedDifference.deletes,
  ]
  const unplannedChanges: string[] = []
  for (const key of new Set([...changes.keys(), ...plannedKeys])) {
    const change =
      newValues.has(key) || oldValues.has(key) ? (changes.get(key) ?? 'same') : undefined
    const plannedChange = plannedChangeOf(plannedDifference, key)
    // As in Pulumi, a property with a planned delete may stay if nothing changes at all.
    if (isAllowed(plannedChange, { change, actualValue: newValues.get(key), hasAnyChange }))
      continue
    unplannedChanges.push(
      formatChange(key, plannedChange, {
        change: change ?? 'delete',
        actualValue: newValues.get(key),
      }),
    )
  }
  return unplannedChanges.sort(compareUtf8)
}

function keysOf(oldValues: PropertyMap, newValues: PropertyMap): ReadonlySet<string> {
  return new Set([...oldValues.keys(), ...newValues.keys()])
}

function changeKindOf(oldValues: PropertyMap, newValues: PropertyMap, key: string): ChangeKind {
  const before = oldValues.get(key) ?? null
  const after = newValues.get(key) ?? null
  // An unknown old value may have turned out to be absent, so its absence is no change.
  if (isUnknown(before) && !newValues.has(key)) return 'same'
  if (before === null) return after === null ? 'same' : 'add'
  if (after === null) return isUnknown(before) ? 'same' : 'delete'
  return matchesPlanned(before, after) ? 'same' : 'update'
}

/** The planned change of one property. */
interface PlannedChange {
  readonly change: ChangeKind
  readonly value: PropertyValue | undefined
}

function plannedChangeOf(
  { adds, updates, deletes }: PlannedDifference,
  key: string,
): PlannedChange {
  if (adds.has(key)) return { change: 'add', value: adds.get(key) }
  if (updates.has(key)) return { change: 'update', value: updates.get(key) }
  return { change: deletes.includes(key) ? 'delete' : 'same', value: undefined }
}

/**
 * Reports whether the plan allows a change. `change` is undefined if neither the old nor the new
 * properties contain the property.
 */
function isAllowed(
  plannedChange: PlannedChange,
  actualChange: {
    readonly change: ChangeKind | undefined
    readonly actualValue: PropertyValue | undefined
    readonly hasAnyChange: boolean
  },
): boolean {
  const { change, actualValue, hasAnyChange } = actualChange
  if (plannedChange.change === 'same') return change === 'same' || change === undefined
  if (plannedChange.change === 'delete')
    return (
      change === 'delete' ||
      change === undefined ||
      (change === 'same' && (!hasAnyChange || actualValue === undefined))
    )
  if (change === 'delete')
    return plannedChange.change === 'update' && isUnknown(plannedChange.value)
  if (change === 'add' && plannedChange.change === 'update') return false
  if (actualValue === undefined) return isUnknown(plannedChange.value)
  return plannedChange.value !== undefined && matchesPlanned(plannedChange.value, actualValue)
}

function formatChange(
  key: string,
  plannedChange: PlannedChange,
  {
    change,
    actualValue,
  }: { readonly change: ChangeKind; readonly actualValue: PropertyValue | undefined },
): string {
  const values = [plannedChange.value, change === 'delete' ? undefined : actualValue].flatMap(
    value => (value === undefined ? [] : [formatValue(value)]),
  )
  const shownValues = values.length === 0 ? '' : `[${values.join('!=')}]`
  return `${signs[plannedChange.change]}${signs[change]}${key}${shownValues}`
}

function formatValue(value: PropertyValue): string {
  if (containsSecret(value)) return '[secret]'
  if (isUnknown(value)) return 'unknown'
  return JSON.stringify(redactMap(new Map([['', value]]))[''] ?? null)
}
