import type { Head } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import {
  type HeadWriteRequest,
  hasTakenEffect,
  parseHeadItem,
  writeConditionOf,
} from './head-write-conditions.ts'
import type { OperationBlocks } from './operation-blocks.ts'
import { recordAttributesOf } from './record-format.ts'
import { journalKeys as keys } from './record-keys.ts'
import { type Item, toItem } from './table/item.ts'
import { type Table, updateItem } from './table/table.ts'

/** The table of the heads, and the register of blocks, which are ranges of operation ids. */
export interface HeadDeps {
  readonly journalTable: Table
  readonly blocks: OperationBlocks
}

/**
 * A write of a head: the request and the update. `updateExpression` has no leading `SET`, which
 * `writeHead` adds. `isOwnWrite` reports whether the existing head is the result of the same write.
 */
export interface HeadWrite extends HeadWriteRequest {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly updateExpression: string
  readonly values?: Item
  readonly isOwnWrite: (existing: Item, head: Head) => boolean
}

/** The assignments in every write of a head: the format, and an expiry if it is absent. */
export const commonAssignments = '#format = :format, #expires = if_not_exists(#expires, :expires)'

/**
 * Writes a head if the transition table allows it. Otherwise `isDone` reports whether the same
 * write took effect before.
 */
export async function writeHead(
  { journalTable, blocks }: HeadDeps,
  write: HeadWrite,
): Promise<{ readonly isDone: boolean; readonly head: Head }> {
  const { deployment, operation, owner, attempt, needs, updateExpression, values } = write
  await blocks.register(deployment, operation)
  const writeResult = await updateItem(journalTable, {
    key: keys.head(deployment, operation),
    updateExpression: `SET ${updateExpression}`,
    condition: writeConditionOf(write),
    values: {
      // The values of all updates and conditions. `updateItem` leaves out unused values.
      ...toItem({ none: 0, one: 1, owner, attempt, needs, minus: -1, numbers: 'NS' }),
      ...recordAttributesOf('head', journalTable),
      ...values,
    },
  })
  if (writeResult.isDone)
    return { isDone: true, head: parseHeadItem(deployment, operation, writeResult.item) }
  const { existing } = writeResult
  const head = parseHeadItem(deployment, operation, existing)
  const isDone =
    existing !== undefined &&
    hasTakenEffect(write, existing, head, write.isOwnWrite(existing, head))
  return { isDone, head }
}
