import { compareUtf8 } from '../../values/go-json.ts'
import { equalValues } from '../../values/equal.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { containsSecret, redactMap } from '../../values/walk.ts'
import { matchesPlanned, isUnknown } from './planned-value.ts'
import type { PlannedDifference } from './update-plan.ts'

/** The kind of change of a property. */
type Change = 'add' | 'update' | 'delete' | 'same'

const signs: Readonly<Record<Change, string>> = { add: '+', update: '~', delete: '-', same: '=' }

/** Returns the planned difference between old and new properties. */
export function createPlannedDifference(olds: PropertyMap, news: PropertyMap): PlannedDifference {
  const adds = new Map<string, PropertyValue>()
  const updates = new Map<string, PropertyValue>()
  const deletes: string[] = []
  for (const key of keysOf(olds, news)) {
    const [before, after] = [olds.get(key) ?? null, news.get(key) ?? null]
    if (equalValues(before, after)) continue
    if (before === null) adds.set(key, after)
    else if (after === null) deletes.push(key)
    else updates.set(key, after)
  }
  return { adds, deletes, updates }
}

/**
 * Returns the changes from old to new properties that a plan does not allow, sorted, one text per
 * property. A text contains the planned and the actual sign, the name and the values. A planned
 * unknown value allows any value or none. Source: docs/spec/step-generation.md#update-plans.
 */
export function findUnplannedChanges(
  olds: PropertyMap,
  news: PropertyMap,
  planned: PlannedDifference,
): readonly string[] {
  const changes = new Map<string, Change>()
  for (const key of keysOf(olds, news)) changes.set(key, changeOf(olds, news, key))
  const isChanged = [...changes.values()].some(change => change !== 'same')
  const named = [...planned.adds.keys(), ...planned.updates.keys(), ...planned.deletes]
  const found: string[] = []
  for (const key of new Set([...changes.keys(), ...named])) {
    const change = news.has(key) || olds.has(key) ? (changes.get(key) ?? 'same') : undefined
    const plannedChange = plannedChangeOf(planned, key)
    // As in Pulumi, a property with a planned delete may stay if nothing changes at all.
    if (isAllowed(plannedChange, { change, actual: news.get(key), isChanged })) continue
    found.push(textOf(key, plannedChange, { change: change ?? 'delete', actual: news.get(key) }))
  }
  return found.sort(compareUtf8)
}

function keysOf(olds: PropertyMap, news: PropertyMap): ReadonlySet<string> {
  return new Set([...olds.keys(), ...news.keys()])
}

function changeOf(olds: PropertyMap, news: PropertyMap, key: string): Change {
  const before = olds.get(key) ?? null
  const after = news.get(key) ?? null
  // An unknown value may turn out to be absent.
  if (isUnknown(before) && !news.has(key)) return 'same'
  if (before === null) return after === null ? 'same' : 'add'
  if (after === null) return isUnknown(before) ? 'same' : 'delete'
  return matchesPlanned(before, after) ? 'same' : 'update'
}

/** The planned change of one property. */
interface PlannedChange {
  readonly change: Change
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
 * Reports whether the plan allows a change. `change` undefined: neither old nor new properties
 * contain it.
 */
function isAllowed(
  plannedChange: PlannedChange,
  found: {
    readonly change: Change | undefined
    readonly actual: PropertyValue | undefined
    readonly isChanged: boolean
  },
): boolean {
  const { change, actual, isChanged } = found
  if (plannedChange.change === 'same') return change === 'same' || change === undefined
  if (plannedChange.change === 'delete')
    return (
      change === 'delete' ||
      change === undefined ||
      (change === 'same' && (!isChanged || actual === undefined))
    )
  if (change === 'delete')
    return plannedChange.change === 'update' && isUnknown(plannedChange.value)
  if (change === 'add' && plannedChange.change === 'update') return false
  if (actual === undefined) return isUnknown(plannedChange.value)
  return plannedChange.value !== undefined && matchesPlanned(plannedChange.value, actual)
}

function textOf(
  key: string,
  plannedChange: PlannedChange,
  { change, actual }: { readonly change: Change; readonly actual: PropertyValue | undefined },
): string {
  const values = [plannedChange.value, change === 'delete' ? undefined : actual].flatMap(value =>
    value === undefined ? [] : [formatValue(value)],
  )
  const shownValues = values.length === 0 ? '' : `[${values.join('!=')}]`
  return `${signs[plannedChange.change]}${signs[change]}${key}${shownValues}`
}

function formatValue(value: PropertyValue): string {
  if (containsSecret(value)) return '[secret]'
  if (isUnknown(value)) return 'unknown'
  return JSON.stringify(redactMap(new Map([['', value]]))[''] ?? null)
}
