import type {
  HistoryRecord,
  PublishedVersion,
  StackRecord,
  TargetedDeployment,
} from '../../../../ports/catalog.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../../../../records/ids.ts'
import {
  createDamagedError,
  parseRecordJson,
  requireReadableFormat,
} from '../../../records/record-layouts.ts'
import { type Row, readIntegerColumn, readTextColumn } from '../database.ts'

/** Parses the row of a stack. Throws RECORD_DAMAGED, and RECORD_TOO_NEW for a newer format. */
export function parseStack(row: Row): StackRecord {
  requireReadableFormat('stack', row)
  const id = readTextColumn(row, 'id')
  const current = readTextColumn(row, 'current') as DeploymentId | ''
  const targeted = parseRecordJson(
    { kind: 'stack', keys: { id } },
    readTextColumn(row, 'targeted'),
    isTargetedList,
  )
  return {
    id: id as StackId,
    createdAt: readIntegerColumn(row, 'created_at') as EpochMs,
    current,
    ...(targeted.length === 0 ? {} : { targeted }),
    version: readIntegerColumn(row, 'version'),
    snapshot: parseBlobHash(readTextColumn(row, 'snapshot'), { kind: 'stack', keys: { id } }),
    deployments: readIntegerColumn(row, 'deployments'),
  }
}

/** Parses the row of a published snapshot. Throws like `parseStack`. */
export function parseVersion(row: Row): PublishedVersion {
  requireReadableFormat('snapshot', row)
  const version = readIntegerColumn(row, 'version')
  const record = {
    kind: 'snapshot',
    keys: { stack: readTextColumn(row, 'stack'), version },
  } as const
  const snapshot = parseBlobHash(readTextColumn(row, 'blob'), record)
  if (snapshot === '') throw createDamagedError('snapshot', record.keys, 'it has no blob')
  return { version, snapshot }
}

/** Parses the row of an entry of the history. Throws like `parseStack`. */
export function parseHistory(row: Row): HistoryRecord {
  requireReadableFormat('history', row)
  const keys = { stack: readTextColumn(row, 'stack'), number: readIntegerColumn(row, 'number') }
  const record = { kind: 'history', keys } as const
  const begin = parseRecordJson(record, readTextColumn(row, 'begun'), isHistoryBegin)
  const endJson = readTextColumn(row, 'ended')
  return { ...begin, ...(endJson === '' ? {} : parseRecordJson(record, endJson, isHistoryEnd)) }
}

function isTargetedList(value: unknown): value is readonly TargetedDeployment[] {
  return Array.isArray(value)
}

function isHistoryBegin(value: unknown): value is HistoryRecord {
  return typeof value === 'object' && value !== null && 'deployment' in value
}

function isHistoryEnd(value: unknown): value is Partial<HistoryRecord> {
  return typeof value === 'object' && value !== null && 'result' in value
}

function parseBlobHash(
  hash: string,
  { kind, keys }: Parameters<typeof parseRecordJson>[0],
): BlobHash | '' {
  if (hash !== '' && !/^[0-9a-f]{64}$/.test(hash))
    throw createDamagedError(kind, keys, `'${hash}' is not the name of a blob`)
  return hash as BlobHash | ''
}
