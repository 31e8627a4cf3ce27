import type { OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { getItems } from './table/batch-items.ts'
import type { OperationBlocks } from './operation-blocks.ts'
import {
  releaseKeyOf,
  type HeadWriteRequest,
  parseHeadItem,
  soundHeadCondition,
  writeConditionOf,
  hasTakenEffect,
} from './head-write-conditions.ts'
import { type Item, toItem, toNumberSet, readText, readTexts, toTextSet } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import { recordAttributesOf } from './record-format.ts'
import { type Table, updateItem } from './table/table.ts'

/** The table of the heads, and the register of blocks. */
export interface HeadDeps {
  readonly journalTable: Table
  readonly blocks: OperationBlocks
}

type HeadMethods = Omit<OperationsPort, 'getOutcome' | 'putOutcome' | 'getEnds'>
type ReleaseOwner = OperationsPort['giveBack']

/**
 * A write of a head: the request and the update. `isOwnWrite` reports whether the existing head is
 * the result of the same write.
 */
interface HeadWrite extends HeadWriteRequest {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly updateExpression: string
  readonly values?: Item
  readonly isOwnWrite: (existing: Item, head: Head) => boolean
}

/** The assignments in every write of a head: the format, and an expiry if it is absent. */
const commonAssignments = '#format = :format, #expires = if_not_exists(#expires, :expires)'

/**
 * Creates the heads in the journal. A begin and a selection are one conditional update each. The
 * transition table determines the allowed writes. The existing item of a refused write shows
 * whether the same write took effect before.
 */
export function createHeads(deps: HeadDeps): HeadMethods {
  const { journalTable, blocks } = deps
  return {
    arrive: async (deployment, operation, origin) => {
      await blocks.register(deployment, operation)
      const writeResult = await updateItem(journalTable, {
        key: keys.head(deployment, operation),
        updateExpression: `SET ${commonAssignments} ADD #arrived :from`,
        condition: soundHeadCondition,
        values: {
          ...recordAttributesOf('head', journalTable),
          ...toItem({ numbers: 'NS' }),
          from: toNumberSet([origin]),
        },
      })
      return parseHeadItem(
        deployment,
        operation,
        writeResult.isDone ? writeResult.item : writeResult.existing,
      )
    },
    begin: async (deployment, operation, claim) => {
      const { owner, executor, expectedAttempt: attempt, needs } = claim
      const { isDone, head } = await writeHead(deps, {
        ...{ event: 'begin', deployment, operation, owner, attempt, needs },
        updateExpression: `${commonAssignments}, #owner = :owner, #executor = :executor ADD #attempt :one, #called :one`,
        values: toItem({ executor }),
        isOwnWrite: (_, head) => head.owner === owner && head.attempt === attempt + 1,
      })
      return isDone ? { kind: 'begun', attempt: attempt + 1 } : { kind: 'refused', head }
    },
    giveBack: createOwnerRelease(deps, 'giveBack'),
    lapse: createOwnerRelease(deps, 'lapse'),
    select: async (deployment, operation, { owner, attempt, verdict }) => {
      const { isDone } = await writeHead(deps, {
        ...{ event: 'select', deployment, operation, owner, attempt, needs: 0 },
        updateExpression: `${commonAssignments}, #verdict = :verdict, #ended = :attempt`,
        values: toItem({ verdict }),
        isOwnWrite: (_, head) =>
          head.owner === owner && head.end?.verdict === verdict && head.end.attempt === attempt,
      })
      return isDone
    },
    getHeads: async (deployment, operations) => {
      const uniqueIds = [...new Set(operations)]
      const items = await getItems(
        journalTable,
        uniqueIds.map(id => keys.head(deployment, id)),
      )
      const itemsByKey = new Map(items.map(item => [readText(item, 'pk'), item]))
      const headEntries = uniqueIds.flatMap(id => {
        const item = itemsByKey.get(keys.head(deployment, id).pk)
        return item === undefined ? [] : [[id, parseHeadItem(deployment, id, item)] as const]
      })
      return new Map(headEntries)
    },
  }
}

/**
 * Creates the write that clears the owner of an attempt. The write takes effect once: a repetition
 * finds the key that the first write added to `freed`.
 */
function createOwnerRelease(deps: HeadDeps, event: 'giveBack' | 'lapse'): ReleaseOwner {
  const calledUpdate = event === 'giveBack' ? ', #called :minus' : ''
  return async (deployment, operation, owner, attempt) => {
    const request: HeadWriteRequest = { event, owner, attempt, needs: 0 }
    const releaseKey = releaseKeyOf(request)
    const { isDone } = await writeHead(deps, {
      ...{ ...request, deployment, operation },
      updateExpression: `${commonAssignments} REMOVE #owner, #executor ADD #freed :release${calledUpdate}`,
      values: { release: toTextSet([releaseKey]) },
      isOwnWrite: existing => readTexts(existing, 'freed').includes(releaseKey),
    })
    return isDone
  }
}

async function writeHead(
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
