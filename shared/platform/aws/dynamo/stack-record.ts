import type { HistoryRecord, StackRecord } from '../../../ports/catalog.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../../../records/ids.ts'
import { damaged, parseRecordJson } from '../../records/record-forms.ts'
import { flag, type Item, number, text } from './item.ts'
import { numberIn } from './keys.ts'
import { jsonIn, readableItem } from './stored.ts'

/** A stack as it is kept; `startToken`: the call that started the deployment that is current. */
export interface KeptStack extends StackRecord {
  readonly startToken: string
}

/**
 * A stack that was read; undefined for one that was removed, whose item only keeps the count of its
 * deployments. Throws RECORD_TOO_NEW, RECORD_DAMAGED.
 */
export function stackIn(id: StackId, item: Item | undefined): KeptStack | undefined {
  if (item === undefined) return undefined
  readableItem('stack', { id }, item)
  if (flag(item, 'removed')) return undefined
  return {
    id,
    createdAt: number(item, 'createdAt') as EpochMs,
    current: text(item, 'current') as DeploymentId,
    version: number(item, 'version'),
    snapshot: blobIn(item, 'snapshot', { kind: 'stack', keys: { id } }),
    deployments: number(item, 'deployments'),
    startToken: text(item, 'startToken'),
  }
}

/** A line of the history that was read. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
export function historyIn(stack: StackId, item: Item): HistoryRecord {
  const keys = { stack, number: numberIn(text(item, 'sk')) }
  const about = { kind: 'history', keys } as const
  readableItem('history', keys, item)
  const begun = jsonIn(about, item, 'begun', isBegun)
  const ended = text(item, 'ended')
  return { ...begun, ...(ended === '' ? {} : parseRecordJson(about, ended, isEnded)) }
}

/** A published version that was read. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
export function versionIn(
  stack: StackId,
  item: Item,
): { readonly version: number; readonly snapshot: BlobHash } {
  const version = numberIn(text(item, 'sk'))
  const about = { kind: 'snapshot', keys: { stack, version } } as const
  readableItem('snapshot', about.keys, item)
  const snapshot = blobIn(item, 'blob', about)
  if (snapshot === '') throw damaged('snapshot', about.keys, 'it names no blob')
  return { version, snapshot }
}

function blobIn(
  item: Item,
  name: string,
  { kind, keys }: Parameters<typeof parseRecordJson>[0],
): BlobHash | '' {
  const hash = text(item, name)
  if (hash !== '' && !/^[0-9a-f]{64}$/.test(hash))
    throw damaged(kind, keys, `'${hash}' names no blob`)
  return hash as BlobHash | ''
}

function isBegun(value: unknown): value is HistoryRecord {
  return typeof value === 'object' && value !== null && 'deployment' in value
}

function isEnded(value: unknown): value is Partial<HistoryRecord> {
  return typeof value === 'object' && value !== null && 'result' in value
}
