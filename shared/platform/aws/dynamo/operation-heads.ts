import type { OperationsPort } from '../../../ports/records.ts'
import { createBegin } from './begin-operation.ts'
import { commonAssignments, type HeadDeps, writeHead } from './write-head.ts'
import { getItems } from './table/batch-items.ts'
import {
  releaseKeyOf,
  type HeadWriteRequest,
  parseHeadItem,
  soundHeadCondition,
} from './head-write-conditions.ts'
import { toItem, toNumberSet, readText, readTexts, toTextSet } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import { recordAttributesOf } from './record-format.ts'
import { updateItem } from './table/table.ts'

type HeadMethods = Omit<OperationsPort, 'getOutcome' | 'putOutcome' | 'getEnds'>
type ReleaseOwner = OperationsPort['giveBack']

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
    begin: createBegin(deps),
    giveBack: createOwnerRelease(deps, 'giveBack'),
    lapse: createOwnerRelease(deps, 'lapse'),
    select: async (deployment, operation, { owner, attempt, verdict }) => {
      const { isDone } = await writeHead(deps, {
        event: 'select',
        deployment,
        operation,
        owner,
        attempt,
        needs: 0,
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
 * Creates a give-back or a lapse: the write that removes the owner from a head. The write takes
 * effect once: a repetition finds the key that the first write added to `freed`.
 */
function createOwnerRelease(deps: HeadDeps, event: 'giveBack' | 'lapse'): ReleaseOwner {
  const calledUpdate = event === 'giveBack' ? ', #called :minus' : ''
  return async (deployment, operation, owner, attempt) => {
    const request: HeadWriteRequest = { event, owner, attempt, needs: 0 }
    const releaseKey = releaseKeyOf(request)
    const { isDone } = await writeHead(deps, {
      ...request,
      deployment,
      operation,
      updateExpression: `${commonAssignments} REMOVE #owner, #executor ADD #freed :release${calledUpdate}`,
      values: { release: toTextSet([releaseKey]) },
      isOwnWrite: existing => readTexts(existing, 'freed').includes(releaseKey),
    })
    return isDone
  }
}
