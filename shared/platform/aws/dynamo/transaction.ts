import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import type { RandomPort } from '../../../ports/system.ts'
import { isAbsent, placeholders, simplified } from './expressions.ts'
import type { Item, Key } from './item.ts'
import type { Try } from './retry.ts'
import { asked, type Change, keyOf, type Table } from './table.ts'

/** One part of a transaction. */
export type Part =
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'put'; readonly key: Key; readonly item: Item; readonly ifAbsent: boolean }
  | { readonly kind: 'remove'; readonly key: Key; readonly condition?: string }

/** What a transaction came to; of a refused one, which parts were refused and what stands there. */
export type Transacted =
  | { readonly isDone: true }
  | {
      readonly isDone: false
      readonly refused: readonly { readonly isRefused: boolean; readonly stands?: Item }[]
    }

/**
 * Does all parts or none. Costs twice what single writes cost, so it is for what happens once per
 * deployment. Its token makes a repetition one application.
 */
export function transact(
  table: Table,
  random: Pick<RandomPort, 'uuid'>,
  parts: readonly Part[],
): Promise<Transacted> {
  const command = new TransactWriteItemsCommand({
    ClientRequestToken: random.uuid(),
    TransactItems: parts.map(part => writeOf(table, part)),
  })
  return asked<Transacted>(table, 'TransactWriteItems', async () => {
    try {
      await table.client.send(command)
      return { kind: 'done', value: { isDone: true } }
    } catch (thrown) {
      if (!(thrown instanceof TransactionCanceledException)) throw thrown
      return cancelled(thrown, thrown.CancellationReasons ?? [])
    }
  })
}

const conditionFailed = 'ConditionalCheckFailed'
const passing: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])

/** A refusal is final; with none, what passes by itself is tried again. */
function cancelled(thrown: Error, reasons: readonly CancellationReason[]): Try<Transacted> {
  if (reasons.some(({ Code }) => Code === conditionFailed)) {
    const refused = reasons.map(({ Code, Item: stands }) => ({
      isRefused: Code === conditionFailed,
      ...(stands === undefined ? {} : { stands }),
    }))
    return { kind: 'done', value: { isDone: false, refused } }
  }
  if (reasons.some(({ Code }) => passing.has(Code ?? ''))) return { kind: 'again', why: thrown }
  throw thrown
}

function writeOf(table: Table, part: Part): TransactWriteItem {
  const about = {
    TableName: table.name,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const
  if (part.kind === 'change') {
    const { key, set, condition, values } = part.change
    return {
      Update: {
        ...about,
        Key: keyOf(key),
        UpdateExpression: set,
        ConditionExpression: simplified(condition),
        ...placeholders([set, condition], values),
      },
    }
  }
  if (part.kind === 'remove') {
    const { key, condition } = part
    return { Delete: { ...about, Key: keyOf(key), ...conditioned(condition) } }
  }
  const { key, item, ifAbsent } = part
  const condition = conditioned(ifAbsent ? isAbsent : undefined)
  return { Put: { ...about, Item: { ...item, ...keyOf(key) }, ...condition } }
}

/** A condition without values. */
function conditioned(condition: string | undefined) {
  if (condition === undefined) return {}
  return { ConditionExpression: simplified(condition), ...placeholders([condition]) }
}
