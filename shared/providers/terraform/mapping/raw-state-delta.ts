import { type PropertyMap, type PropertyValue, isList, isMap } from '../../../values/value.ts'
import { stripSecrets } from '../../../values/special-values.ts'
import { formatCtyNumber, convertFloat, parseCtyNumber } from '../values/cty-number.ts'
import { type LosslessJson, formatLosslessJson } from '../values/lossless-json.ts'
import { toSnakeCase } from './camel-case.ts'

/**
 * The output in which Pulumi's bridge describes how to convert the outputs back to the state of
 * Terraform.
 */
const rawStateDeltaKey = '__pulumi_raw_state_delta'

/**
 * Recovers the state, as JSON, from outputs that Pulumi's bridge wrote. The state has the names and
 * blocks of the schema of that time. Returns undefined if the outputs have no description by the
 * bridge, or do not fit it.
 */
export function recoverRawState(outputs: PropertyMap): string | undefined {
  const delta = outputs.get(rawStateDeltaKey)
  if (delta === undefined) return undefined
  const json = recoverValue(stripSecrets(outputs), stripSecrets(delta))
  return json === undefined ? undefined : formatLosslessJson(json)
}

/**
 * Recovers one part. Its description has at most one member, whose name is the kind of the part.
 * `plu` is a flattened block, whose value in Terraform is a list of at most one item. Within it, `i`
 * describes the block. `el` has the descriptions of elements, and `ps` those of properties.
 */
function recoverValue(value: PropertyValue, delta: PropertyValue): LosslessJson | undefined {
  if (!isMap(delta) || delta.size === 0) return recoverUndescribed(value)
  const [[kind, description] = ['', null]] = delta
  const details = isMap(description) ? description : new Map<string, PropertyValue>()
  switch (kind) {
    case 'replace':
      return toLosslessJson(details.get('raw') ?? null)
    case 'plu':
      if (value === null) return []
      return requireAll([recoverValue(value, details.get('i') ?? null)])
    case 'map':
      return isMap(value) ? recoverMap(value, details) : undefined
    case 'obj':
      return isMap(value) ? recoverObject(value, details) : undefined
    case 'arr':
      return isList(value) ? recoverItems(value, details) : undefined
    case 'num':
      return typeof value === 'string' ? toNumberJson(value) : undefined
    default:
      return undefined
  }
}

/** Recovers a part without a description. Refuses objects, which may be maps in Terraform. */
function recoverUndescribed(value: PropertyValue): LosslessJson | undefined {
  if (isList(value)) return requireAll(value.map(recoverUndescribed))
  return isMap(value) ? undefined : toLosslessJson(value)
}

/** Returns the items, or undefined if one of them is undefined. */
function requireAll(
  items: readonly (LosslessJson | undefined)[],
): readonly LosslessJson[] | undefined {
  const defined = items.filter(item => item !== undefined)
  return defined.length === items.length ? defined : undefined
}

function recoverItems(
  items: readonly PropertyValue[],
  details: PropertyMap,
): LosslessJson | undefined {
  const deltas = entriesOfDelta(details.get('el'))
  for (const index of deltas.keys()) if (items[Number(index)] === undefined) return undefined
  return requireAll(
    items.map((item, index) => recoverValue(item, deltas.get(String(index)) ?? null)),
  )
}

function recoverMap(map: PropertyMap, details: PropertyMap): LosslessJson | undefined {
  const deltas = entriesOfDelta(details.get('el'))
  return recoverMembers([...map].map(([key, item]) => [key, item, deltas.get(key) ?? null]))
}

/** Recovers an object. Inserts properties that only the description has, which are usually null. */
function recoverObject(map: PropertyMap, details: PropertyMap): LosslessJson | undefined {
  const deltas = entriesOfDelta(details.get('ps'))
  const renamed = entriesOfDelta(details.get('renamed'))
  const ignored = details.get('ignored') ?? null
  const isDropped = (name: string): boolean =>
    (name.startsWith('__') && !renamed.has(name)) || (isList(ignored) && ignored.includes(name))
  const toTerraformName = (name: string): string => {
    const tfName = renamed.get(name)
    return typeof tfName === 'string' ? tfName : toSnakeCase(name)
  }
  const remaining = [...map].filter(([name]) => !isDropped(name))
  const inserted = [...deltas.keys()].filter(name => !map.has(name))
  return recoverMembers([
    ...remaining.map(
      ([name, item]) => [toTerraformName(name), item, deltas.get(name) ?? null] as const,
    ),
    ...inserted.map(name => [toTerraformName(name), null, deltas.get(name) ?? null] as const),
  ])
}

function recoverMembers(
  members: readonly (readonly [string, PropertyValue, PropertyValue])[],
): LosslessJson | undefined {
  const values = requireAll(members.map(([, value, delta]) => recoverValue(value, delta)))
  if (values === undefined) return undefined
  return new Map(members.map(([name], index) => [name, values[index] ?? null] as const))
}

function entriesOfDelta(value: PropertyValue | undefined): PropertyMap {
  return isMap(value) ? value : new Map()
}

/**
 * Converts a value to JSON. Returns undefined for values without a form in JSON, such as assets.
 */
function toLosslessJson(value: PropertyValue): LosslessJson | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return toNumberJson(value)
  if (isList(value)) return requireAll(value.map(toLosslessJson))
  if (!isMap(value)) return undefined
  const values = requireAll([...value.values()].map(toLosslessJson))
  if (values === undefined) return undefined
  return new Map([...value.keys()].map((key, index) => [key, values[index] ?? null] as const))
}

function toNumberJson(value: string | number): LosslessJson | undefined {
  const number = typeof value === 'number' ? convertFloat(value) : parseCtyNumber(value)
  if (number === undefined) return undefined
  const isInfinite = typeof number !== 'bigint' && number.kind === 'infinity'
  return isInfinite ? undefined : { kind: 'number', source: formatCtyNumber(number) }
}
