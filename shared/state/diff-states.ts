import { formatPath, type PathSegment } from '../values/path.ts'
import { signatureKey, signatures } from '../values/wire-options.ts'
import { pendingOperationsOf } from './pending.ts'
import { isJsonObject, readTextField } from './stored-fields.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

/** The text in place of a secret. */
const hiddenSecret = '[secret]'

/**
 * A changed property of a resource. `path` begins with the field of the resource, such as `inputs`.
 * Secrets in `old` and `new` are hidden. `unknown`: a secret was encrypted again, and its two
 * values could not be compared.
 */
export interface PropertyChange {
  readonly path: string
  readonly op: 'add' | 'remove' | 'change' | 'unknown'
  readonly old?: Json
  readonly new?: Json
}

/** A changed resource. `properties` is empty for an added or removed resource. */
export interface ResourceChange {
  readonly op: 'add' | 'remove' | 'change'
  readonly urn: string
  readonly type: string
  readonly id?: string
  /** Whether the resource is an old copy that waits for its deletion. */
  readonly isOldCopy?: true
  readonly properties: readonly PropertyChange[]
}

/** The differences of two states of a stack, and the number of equal resources. */
export interface StateDiff {
  readonly changes: readonly ResourceChange[]
  readonly sameCount: number
  /** Pending operations that only the new state has. */
  readonly pendingAdded: readonly { readonly urn: string; readonly type: string }[]
  /** Pending operations that only the old state has. */
  readonly pendingRemoved: readonly { readonly urn: string; readonly type: string }[]
}

/**
 * Reports whether two secrets have equal values, although their ciphertexts differ. Returns
 * undefined when the secrets cannot be decrypted.
 */
export type CompareSecrets = (oldSecret: Json, newSecret: Json) => boolean | undefined

/** Fields that change without a change of the resource. */
const timeFields = new Set(['created', 'modified'])

/**
 * Compares two states by resource and property. A resource is identified by its URN, an old copy
 * also by its id. The order is that of the new state, followed by removed resources.
 */
export function diffStates(
  before: StoredDeployment,
  after: StoredDeployment,
  compareSecrets: CompareSecrets,
): StateDiff {
  const remaining = new Map((before.resources ?? []).map(item => [keyOf(item), item]))
  const changes: ResourceChange[] = []
  let sameCount = 0
  for (const resource of after.resources ?? []) {
    const old = remaining.get(keyOf(resource))
    remaining.delete(keyOf(resource))
    const properties = old === undefined ? [] : diffResources(old, resource, compareSecrets)
    if (old === undefined) changes.push(toChange('add', resource, []))
    else if (properties.length > 0) changes.push(toChange('change', resource, properties))
    else sameCount += 1
  }
  for (const resource of remaining.values()) changes.push(toChange('remove', resource, []))
  const [pendingBefore, pendingAfter] = [summarizePending(before), summarizePending(after)]
  return {
    changes,
    sameCount,
    pendingAdded: listOnlyIn(pendingAfter, pendingBefore),
    pendingRemoved: listOnlyIn(pendingBefore, pendingAfter),
  }
}

function keyOf(resource: StoredResource): string {
  const isOldCopy = resource['delete'] === true
  return isOldCopy ? `${resource.urn} ${readTextField(resource, 'id')}` : resource.urn
}

function toChange(
  op: ResourceChange['op'],
  resource: StoredResource,
  properties: readonly PropertyChange[],
): ResourceChange {
  const { urn, type } = resource
  const id = readTextField(resource, 'id')
  return {
    op,
    urn,
    type,
    ...(id === '' ? {} : { id }),
    ...(resource['delete'] === true ? { isOldCopy: true as const } : {}),
    properties,
  }
}

/** The path of two compared values, and the list that receives their changes. */
interface Comparison {
  readonly path: readonly PathSegment[]
  readonly changes: PropertyChange[]
  readonly compareSecrets: CompareSecrets
}

function diffResources(
  before: StoredResource,
  after: StoredResource,
  compareSecrets: CompareSecrets,
): readonly PropertyChange[] {
  const changes: PropertyChange[] = []
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const field of fields)
    if (!timeFields.has(field))
      compareJson(before[field], after[field], { path: [field], changes, compareSecrets })
  return changes
}

function compareJson(
  before: Json | undefined,
  after: Json | undefined,
  comparison: Comparison,
): void {
  if (before === undefined || after === undefined) {
    if (before === after) return
    return addChange(before === undefined ? 'add' : 'remove', { before, after }, comparison)
  }
  if (isStoredSecret(before) || isStoredSecret(after)) {
    if (JSON.stringify(before) === JSON.stringify(after)) return
    const isEqual =
      isStoredSecret(before) && isStoredSecret(after) && comparison.compareSecrets(before, after)
    if (isEqual === true) return
    const op = isEqual === undefined ? 'unknown' : 'change'
    return addChange(op, { before: hiddenSecret, after: hiddenSecret }, comparison)
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compareJson(ownValueOf(before, key), ownValueOf(after, key), descend(comparison, key))
    return
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index += 1)
      compareJson(before[index], after[index], descend(comparison, index))
    return
  }
  if (JSON.stringify(before) !== JSON.stringify(after))
    addChange('change', { before, after }, comparison)
}

function ownValueOf(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function descend(comparison: Comparison, segment: PathSegment): Comparison {
  return { ...comparison, path: [...comparison.path, segment] }
}

function addChange(
  op: PropertyChange['op'],
  values: { readonly before: Json | undefined; readonly after: Json | undefined },
  { path, changes }: Comparison,
): void {
  changes.push({
    path: formatPath(path),
    op,
    ...(values.before === undefined ? {} : { old: hideStoredSecrets(values.before) }),
    ...(values.after === undefined ? {} : { new: hideStoredSecrets(values.after) }),
  })
}

/** Reports whether a stored value is a secret. */
export function isStoredSecret(value: Json | undefined): boolean {
  return isJsonObject(value) && value[signatureKey] === signatures.secret
}

/** Returns a stored value with `[secret]` in place of each secret. */
export function hideStoredSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(hideStoredSecrets)
  if (!isJsonObject(value)) return value
  if (isStoredSecret(value)) return hiddenSecret
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, hideStoredSecrets(item)]),
  )
}

interface PendingSummary {
  readonly urn: string
  readonly type: string
}

function summarizePending(state: StoredDeployment): readonly PendingSummary[] {
  return pendingOperationsOf(state).map(({ resource, type }) => ({ urn: resource.urn, type }))
}

/** Returns the pending operations of `list` that `otherList` lacks. */
function listOnlyIn(
  list: readonly PendingSummary[],
  otherList: readonly PendingSummary[],
): readonly PendingSummary[] {
  const otherKeys = new Set(otherList.map(({ urn, type }) => `${type} ${urn}`))
  return list.filter(({ urn, type }) => !otherKeys.has(`${type} ${urn}`))
}
