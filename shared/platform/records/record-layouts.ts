import { type DeployError, createError, messageOf } from '../../errors/error.ts'
import type { Decision } from '../../records/log.ts'

/** The layout of stored records of one kind. */
export interface RecordLayout {
  /** The name of the kind in messages. */
  readonly name: string
  readonly keyFields: readonly string[]
  /**
   * The fields of a row in the embedded store that contain JSON or NULL. The store refuses to
   * change or remove a row in which the JSON of one of them is damaged. `request.ended` is no such
   * field, because it is '' before the end.
   */
  readonly jsonFields: readonly string[]
  /**
   * The version of the format. A change of the format increments this number if an older version
   * of antichain would misread the new records. Every version can read a record without a format.
   */
  readonly format: number
}

/** The layouts of all kinds of records. */
export const recordLayouts = {
  log: {
    name: 'log record',
    keyFields: ['deployment', 'number'],
    jsonFields: ['record'],
    format: 1,
  },
  head: {
    name: 'head',
    keyFields: ['deployment', 'operation'],
    // freed: the keys of the give-backs and lapses.
    jsonFields: ['arrived', 'freed'],
    format: 1,
  },
  outcome: {
    name: 'outcome',
    keyFields: ['deployment', 'operation', 'attempt'],
    jsonFields: ['outcome'],
    format: 1,
  },
  control: {
    name: 'control record',
    keyFields: ['deployment'],
    // handed: the hand-over to the next generator run.
    jsonFields: ['holder', 'handed'],
    format: 1,
  },
  lease: {
    name: 'lease',
    keyFields: ['deployment', 'executor'],
    jsonFields: ['holder', 'groups'],
    format: 1,
  },
  event: { name: 'event', keyFields: ['deployment', 'position'], jsonFields: [], format: 1 },
  usage: {
    name: 'usage record',
    keyFields: ['deployment', 'run'],
    jsonFields: ['counts'],
    format: 1,
  },
  stack: { name: 'stack record', keyFields: ['id'], jsonFields: ['targeted'], format: 1 },
  history: {
    name: 'history record',
    keyFields: ['stack', 'number'],
    jsonFields: ['begun', 'ended'],
    format: 1,
  },
  snapshot: { name: 'snapshot record', keyFields: ['stack', 'version'], jsonFields: [], format: 1 },
  late: { name: 'late outcome', keyFields: ['stack', 'key'], jsonFields: ['item'], format: 1 },
  document: {
    name: 'document',
    keyFields: ['kind', 'scope', 'name'],
    jsonFields: ['value'],
    format: 1,
  },
  audit: { name: 'audit entry', keyFields: ['position'], jsonFields: ['entry'], format: 1 },
  request: { name: 'request', keyFields: ['stack', 'key'], jsonFields: ['request'], format: 1 },
} as const satisfies Record<string, RecordLayout>

/** A kind of stored record. */
export type RecordKind = keyof typeof recordLayouts

/** The values of a record's key fields. They identify the record within its kind. */
export type RecordKeys = Readonly<Record<string, string | number>>

/** Returns `row` if this version can read its `format`. Throws RECORD_TOO_NEW otherwise. */
export function requireReadableFormat<Row extends Readonly<Record<string, unknown>>>(
  kind: RecordKind,
  row: Row,
): Row {
  const { format, keyFields } = recordLayouts[kind]
  const foundFormat = Number(row['format'] ?? 0)
  if (foundFormat <= format) return row
  const keyEntries = keyFields.map(key => [
    key,
    typeof row[key] === 'number' ? row[key] : String(row[key]),
  ])
  throw createTooNewError(kind, foundFormat, Object.fromEntries(keyEntries) as RecordKeys)
}

/**
 * Parses the JSON of a record. Throws RECORD_DAMAGED when the JSON is invalid, or when `hasShape`
 * rejects the parsed value.
 */
export function parseRecordJson<T>(
  record: { readonly kind: RecordKind; readonly keys: RecordKeys },
  text: string,
  hasShape: (value: unknown) => value is T,
): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw createDamagedError(record.kind, record.keys, messageOf(thrown))
  }
  if (hasShape(value)) return value
  throw createDamagedError(record.kind, record.keys, 'its JSON has an unexpected shape')
}

/** Reports whether a value is an object that is neither null nor a list. */
export function isRecordObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reports whether a value is a list of decisions. */
export function isDecisionList(value: unknown): value is readonly Decision[] {
  return (
    Array.isArray(value) &&
    value.every(item => isRecordObject(item) && typeof item['kind'] === 'string')
  )
}

/** Returns the error for a record with invalid contents. */
export function createDamagedError(
  kind: RecordKind,
  keys: RecordKeys,
  reason: string,
): DeployError {
  return createError(
    'RECORD_DAMAGED',
    `the ${recordLayouts[kind].name} ${formatKeys(keys)} is damaged: ${reason}`,
    {
      details: { kind, ...keys },
    },
  )
}

/** Returns the error for a record that a newer version wrote. */
export function createTooNewError(
  kind: RecordKind,
  foundFormat: number,
  keys: RecordKeys,
): DeployError {
  const { name, format } = recordLayouts[kind]
  return createError(
    'RECORD_TOO_NEW',
    `the ${name} ${formatKeys(keys)} was written by a newer antichain: it has format ${foundFormat}, this version knows ${format}`,
    { details: { kind, found: foundFormat, known: format, ...keys } },
  )
}

function formatKeys(keys: RecordKeys): string {
  return `(${Object.entries(keys)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')})`
}
