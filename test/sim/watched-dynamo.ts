import { gunzipSync } from 'node:zlib'
import {
  releaseKeyOf,
  parseHeadItem,
} from '../../shared/platform/aws/dynamo/head-write-conditions.ts'
import { readFlag, readText, readTexts } from '../../shared/platform/aws/dynamo/table/item.ts'
import { journalKeys, parsePaddedNumber } from '../../shared/platform/aws/dynamo/record-keys.ts'
import { keyOf } from '../../shared/platform/aws/dynamo/table/table.ts'
import { freshHead, type Head } from '../../shared/records/head.ts'
import type { BlobHash, DeploymentId } from '../../shared/records/ids.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import { changeOf, type SimHeadRequest, isRepetition } from './heads.ts'
import { createModelDynamo, type ModelChange } from './model-dynamo.ts'
import type { ModelItem } from './model-expressions.ts'
import type { ModelTables } from './model-tables.ts'
import { tableNames } from './current-records.ts'
import type { Observer } from './store.ts'

/** A request in the form of the SDK. */
export interface DynamoCommand {
  readonly input: object
}

/** The DynamoDB of a world. An observer receives each change immediately. */
export interface WatchedDynamo {
  readonly tables: ModelTables
  /** Executes a request immediately. */
  readonly send: (command: DynamoCommand, headRequest?: SimHeadRequest) => Promise<unknown>
}

/** Creates a DynamoDB with the tables of the records, which are empty. */
export function createWatchedDynamo(observer: Observer): WatchedDynamo {
  let changes: ModelChange[] = []
  const { client, tables } = createModelDynamo(undefined, change => changes.push(change))
  for (const name of Object.values(tableNames)) tables.create(name)
  const itemOf = (request: SimHeadRequest): ModelItem | undefined =>
    tables.get(tableNames.journal, keyOf(journalKeys.head(request.deployment, request.id)))
  return {
    tables,
    send(command, request) {
      const before = request === undefined ? undefined : itemOf(request)
      const response = client.send(command as never) as Promise<unknown>
      const newChanges = changes
      changes = []
      if (request !== undefined)
        reportHeadChange(observer, request, { before, after: itemOf(request) })
      for (const change of newChanges) reportChange(observer, change)
      if (newChanges.length === 0) reportRefusedAppend(observer, tables, command)
      return response
    },
  }
}

interface HeadItems {
  readonly before: ModelItem | undefined
  readonly after: ModelItem | undefined
}

function reportHeadChange(observer: Observer, request: SimHeadRequest, items: HeadItems): void {
  const { deployment, id } = request
  const headOf = (item: ModelItem | undefined): Head => parseHeadItem(deployment, id, item)
  const before = items.before === undefined ? freshHead : headOf(items.before)
  const headAfter = headOf(items.after)
  const isChanged = JSON.stringify(headAfter) !== JSON.stringify(before)
  const releaseKey =
    request.event === 'arrive' ? '' : releaseKeyOf({ ...request, event: request.event, needs: 0 })
  const isRemovalRecorded = readTexts(items.before ?? {}, 'freed').includes(releaseKey)
  const change = {
    before,
    after: isChanged ? headAfter : before,
    isDone: isChanged || isRepetition(request, before, isRemovalRecorded),
  }
  const attempt = request.event === 'arrive' ? before.attempt : request.attempt
  observer.onHeadChanged(changeOf(`${deployment} ${id}`, { ...request, attempt }, change))
}

/** Reports the texts of a changed item, and an append, close, publish or late outcome. */
function reportChange(observer: Observer, { key, before, after }: ModelChange): void {
  for (const { S: text, B: compressed } of Object.values(after ?? {})) {
    if (text !== undefined) observer.onTextStored(text)
    if (compressed !== undefined) observer.onTextStored(gunzipSync(compressed).toString('utf8'))
  }
  if (after === undefined) return
  const [kind = '', deployment = ''] = readText(key, 'pk').split(' ')
  if (kind === 'control' && readFlag(after, 'closed') && before !== undefined)
    observer.onClosed(deployment as DeploymentId)
  if (before !== undefined) return
  if (kind === 'log')
    observer.onAppended(
      deployment as DeploymentId,
      JSON.parse(readText(after, 'record')) as LogRecord,
    )
  if (kind === 'late') observer.onRule('a late outcome is put into the inbox')
  if (kind === 'versions')
    observer.onPublished(
      readText(after, 'blob') as BlobHash,
      parsePaddedNumber(readText(after, 'sk')),
    )
}

/** Reports an append that is refused because the record of another writer has its number. */
function reportRefusedAppend(
  observer: Observer,
  tables: ModelTables,
  { input }: DynamoCommand,
): void {
  const { Item: item } = input as { readonly Item?: ModelItem }
  if (item === undefined || !readText(item, 'pk').startsWith('log ')) return
  const existing = tables.get(tableNames.journal, item)
  if (existing === undefined || readText(existing, 'record') === readText(item, 'record')) return
  observer.onRule('an append of a deposed generator is refused')
  const { decisions } = JSON.parse(readText(item, 'record')) as LogRecord
  if (decisions.some(decision => 'phase' in decision && decision.phase === 'stopping'))
    observer.onRule('a deposed generator cannot stop its successor')
}
