import type { HistoryRecord, StackRecord, TargetedDeployment } from '../../../ports/catalog.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../../../records/ids.ts'
import { createDamagedError, parseRecordJson } from '../../records/record-layouts.ts'
import { readFlag, type Item, readNumber, readText } from './table/item.ts'
import { parsePaddedNumber } from './record-keys.ts'
import { parseJsonAttribute, requireReadableItem } from './record-format.ts'

/** A stored stack. `startToken`: the token of the call that started the current deployment. */
export interface StoredStack extends StackRecord {
  readonly startToken: string
}

/**
 * Parses the item of a stack. Returns undefined for an absent item, and for a removed stack, whose
 * item keeps the number of deployments. Throws RECORD_TOO_NEW, RECORD_DAMAGED.
 */
export function parseStackItem(id: StackId, item: Item | undefined): StoredStack | undefined {
  if (item === undefined) return undefined
  requireReadableItem('stack', { id }, item)
  if (readFlag(item, 'removed')) return undefined
  const targeted = readTargetedDeployments(id, item)
  return {
    id,
    createdAt: readNumber(item, 'createdAt') as EpochMs,
    current: readText(item, 'current') as DeploymentId,
    ...(targeted.length === 0 ? {} : { targeted }),
    version: readNumber(item, 'version'),
    snapshot: parseBlobHash(item, 'snapshot', { kind: 'stack', keys: { id } }),
    deployments: readNumber(item, 'deployments'),
    startToken: readText(item, 'startToken'),
  }
}

/** Returns the open targeted deployments of a stack's item. Throws RECORD_DAMAGED. */
function readTargetedDeployments(id: StackId, item: Item): readonly TargetedDeployment[] {
  const text = readText(item, 'targeted')
  return text === '' ? [] : parseRecordJson({ kind: 'stack', keys: { id } }, text, isTargetedList)
}

function isTargetedList(value: unknown): value is readonly TargetedDeployment[] {
  return Array.isArray(value)
}

/** Parses an entry of the history. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
export function parseHistoryItem(stack: StackId, item: Item): HistoryRecord {
  const keys = { stack, number: parsePaddedNumber(readText(item, 'sk')) }
  const record = { kind: 'history', keys } as const
  requireReadableItem('history', keys, item)
  const begin = parseJsonAttribute(record, item, 'begun', hasBegin)
  const endJson = readText(item, 'ended')
  return { ...begin, ...(endJson === '' ? {} : parseRecordJson(record, endJson, hasEnd)) }
}

/** Parses a published version. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
export function parseVersionItem(
  stack: StackId,
  item: Item,
): { readonly version: number; readonly snapshot: BlobHash } {
  const version = parsePaddedNumber(readText(item, 'sk'))
  const record = { kind: 'snapshot', keys: { stack, version } } as const
  requireReadableItem('snapshot', record.keys, item)
  const snapshot = parseBlobHash(item, 'blob', record)
  if (snapshot === '') throw createDamagedError('snapshot', record.keys, 'it has no blob')
  return { version, snapshot }
}

function parseBlobHash(
  item: Item,
  name: string,
  { kind, keys }: Parameters<typeof parseRecordJson>[0],
): BlobHash | '' {
  const hash = readText(item, name)
  if (hash !== '' && !/^[0-9a-f]{64}$/.test(hash))
    throw createDamagedError(kind, keys, `'${hash}' is not the name of a blob`)
  return hash as BlobHash | ''
}

function hasBegin(value: unknown): value is HistoryRecord {
  return typeof value === 'object' && value !== null && 'deployment' in value
}

function hasEnd(value: unknown): value is Partial<HistoryRecord> {
  return typeof value === 'object' && value !== null && 'result' in value
}
