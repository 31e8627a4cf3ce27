import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import type { RandomPort } from '../../../../ports/system.ts'
import { absentCondition, createPlaceholders, simplifyCondition } from './expressions.ts'
import type { Item, Key } from './item.ts'
import type { RetryOutcome } from './retry-request.ts'
import { sendWithRetry, type ItemUpdate, keyOf, type Table } from './table.ts'

/**
 * One write of a transaction: a conditional change, a put or a removal of one item. `tableName`: the
 * table of the item, if it is not the table of the transaction.
 */
export type TransactionPart =
  | { readonly kind: 'change'; readonly change: ItemUpdate }
  | {
      readonly kind: 'put'
      readonly key: Key
      readonly item: Item
      readonly ifAbsent: boolean
      readonly tableName?: string
    }
  | {
      readonly kind: 'remove'
      readonly key: Key
      readonly condition?: string
      readonly tableName?: string
    }

/**
 * The result of a transaction. A refusal lists for each part whether the condition of the part
 * failed, and the existing item, if any.
 */
export type TransactionResult =
  | { readonly isDone: true }
  | {
      readonly isDone: false
      readonly parts: readonly { readonly isRefused: boolean; readonly existing?: Item }[]
    }

/**
 * Applies all parts or none. A transaction costs twice as much as single writes, so it is used for
 * rare events such as a deployment's start. The token of the request ensures that a repeated
 * request is applied once.
 */
export function transact(
  table: Table,
  random: Pick<RandomPort, 'uuid'>,
  parts: readonly TransactionPart[],
): Promise<TransactionResult> {
  const command = new TransactWriteItemsCommand({
    ClientRequestToken: random.uuid(),
    TransactItems: parts.map(part => toTransactWriteItem(table, part)),
  })
  return sendWithRetry<TransactionResult>(table, 'TransactWriteItems', async () => {
    try {
      await table.client.send(command)
      return { kind: 'done', value: { isDone: true } }
    } catch (thrown) {
      if (!(thrown instanceof TransactionCanceledException)) throw thrown
      return resolveCancellation(thrown, thrown.CancellationReasons ?? [])
    }
  })
}

const conditionFailed = 'ConditionalCheckFailed'
const transientReasons: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])

/**
 * Converts the cancellation of a transaction. A failed condition is final. Without a failed
 * condition, temporary failures are retried. Throws any other failure.
 */
function resolveCancellation(
  thrown: Error,
  reasons: readonly CancellationReason[],
): RetryOutcome<TransactionResult> {
  if (reasons.some(({ Code }) => Code === conditionFailed)) {
    const parts = reasons.map(({ Code, Item: existing }) => ({
      isRefused: Code === conditionFailed,
      ...(existing === undefined ? {} : { existing }),
    }))
    return { kind: 'done', value: { isDone: false, parts } }
  }
  if (reasons.some(({ Code }) => transientReasons.has(Code ?? '')))
    return { kind: 'again', reason: thrown }
  throw thrown
}

function toTransactWriteItem(table: Table, part: TransactionPart): TransactWriteItem {
  const tableName = part.kind === 'change' ? undefined : part.tableName
  const common = {
    TableName: tableName ?? table.name,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const
  if (part.kind === 'change') {
    const { key, updateExpression, condition, values } = part.change
    return {
      Update: {
        ...common,
        Key: keyOf(key),
        UpdateExpression: updateExpression,
        ConditionExpression: simplifyCondition(condition),
        ...createPlaceholders([updateExpression, condition], values),
      },
    }
  }
  if (part.kind === 'remove') {
    const { key, condition } = part
    return { Delete: { ...common, Key: keyOf(key), ...createConditionFields(condition) } }
  }
  const { key, item, ifAbsent } = part
  const condition = createConditionFields(ifAbsent ? absentCondition : undefined)
  return { Put: { ...common, Item: { ...item, ...keyOf(key) }, ...condition } }
}

/** Returns the fields of a condition that has no values. */
function createConditionFields(condition: string | undefined) {
  if (condition === undefined) return {}
  return { ConditionExpression: simplifyCondition(condition), ...createPlaceholders([condition]) }
}
