import { gunzipSync } from 'node:zlib'
import {
  releaseMarkOf,
  parseHeadItem,
} from '../../shared/platform/aws/dynamo/head-write-conditions.ts'
import { readFlag, readText, readTexts } from '../../shared/platform/aws/dynamo/table/item.ts'
import { journalKeys, parsePaddedNumber } from '../../shared/platform/aws/dynamo/record-keys.ts'
import { keyOf } from '../../shared/platform/aws/dynamo/table/table.ts'
import { freshHead, type Head } from '../../shared/records/head.ts'
import type { BlobHash, DeploymentId } from '../../shared/records/ids.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import { changeOf, type HeadRequest, isRepetition } from './heads.ts'
import { createModelDynamo, type ModelChange } from './model-dynamo.ts'
import type { ModelItem } from './model-expressions.ts'
import type { ModelTables } from './model-tables.ts'
import { tableNames } from './records-now.ts'
import type { Observer } from './store.ts'

/** A request as the SDK has it. */
export interface Command {
  readonly input: object
}

/** DynamoDB of a world, watched: the observer hears of each change in the moment of it. */
export interface WatchedDynamo {
  readonly tables: ModelTables
  /** Carries a request out, at once. */
  readonly send: (command: Command, head?: HeadRequest) => Promise<unknown>
}

/** The tables of the records, empty. */
export function createWatchedDynamo(observer: Observer): WatchedDynamo {
  let changes: ModelChange[] = []
  const { client, tables } = createModelDynamo(undefined, change => changes.push(change))
  for (const name of Object.values(tableNames)) tables.create(name)
  const itemOf = (asked: HeadRequest): ModelItem | undefined =>
    tables.get(tableNames.journal, keyOf(journalKeys.head(asked.deployment, asked.id)))
  return {
    tables,
    send(command, asked) {
      const before = asked === undefined ? undefined : itemOf(asked)
      const answered = client.send(command as never) as Promise<unknown>
      const all = changes
      changes = []
      if (asked !== undefined) headChanged(observer, asked, { before, after: itemOf(asked) })
      for (const change of all) changed(observer, change)
      if (all.length === 0) refusedAppend(observer, tables, command)
      return answered
    },
  }
}

interface HeadItems {
  readonly before: ModelItem | undefined
  readonly after: ModelItem | undefined
}

function headChanged(observer: Observer, asked: HeadRequest, items: HeadItems): void {
  const { deployment, id } = asked
  const headOf = (item: ModelItem | undefined): Head => parseHeadItem(deployment, id, item)
  const before = items.before === undefined ? freshHead : headOf(items.before)
  const now = headOf(items.after)
  const isChanged = JSON.stringify(now) !== JSON.stringify(before)
  const mark =
    asked.event === 'arrive' ? '' : releaseMarkOf({ ...asked, event: asked.event, needs: 0 })
  const isMarked = readTexts(items.before ?? {}, 'freed').includes(mark)
  const became = {
    before,
    after: isChanged ? now : before,
    isDone: isChanged || isRepetition(asked, before, isMarked),
  }
  const attempt = asked.event === 'arrive' ? before.attempt : asked.attempt
  observer.headChanged(changeOf(`${deployment} ${id}`, { ...asked, attempt }, became))
}

/** What a change of any other item means. */
function changed(observer: Observer, { key, before, after }: ModelChange): void {
  for (const { S: said, B: packed } of Object.values(after ?? {})) {
    if (said !== undefined) observer.kept(said)
    if (packed !== undefined) observer.kept(gunzipSync(packed).toString('utf8'))
  }
  if (after === undefined) return
  const [kind = '', of = ''] = readText(key, 'pk').split(' ')
  if (kind === 'control' && readFlag(after, 'closed') && before !== undefined)
    observer.closed(of as DeploymentId)
  if (before !== undefined) return
  if (kind === 'log')
    observer.appended(of as DeploymentId, JSON.parse(readText(after, 'record')) as LogRecord)
  if (kind === 'late') observer.refused('a late outcome is put into the inbox')
  if (kind === 'versions')
    observer.published(
      readText(after, 'blob') as BlobHash,
      parsePaddedNumber(readText(after, 'sk')),
    )
}

/** An append that changed nothing: what stands there is somebody else's, or its own. */
function refusedAppend(observer: Observer, tables: ModelTables, { input }: Command): void {
  const { Item: item } = input as { readonly Item?: ModelItem }
  if (item === undefined || !readText(item, 'pk').startsWith('log ')) return
  const stands = tables.get(tableNames.journal, item)
  if (stands === undefined || readText(stands, 'record') === readText(item, 'record')) return
  observer.refused('an append of a deposed generator is refused')
  const { decisions } = JSON.parse(readText(item, 'record')) as LogRecord
  if (decisions.some(one => 'phase' in one && one.phase === 'stopping'))
    observer.refused('a deposed generator cannot stop its successor')
}
