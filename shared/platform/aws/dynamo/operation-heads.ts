import type { OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { getItems } from './table/batch-items.ts'
import type { Blocks } from './operation-blocks.ts'
import {
  releaseMarkOf,
  type HeadWriteRequest,
  parseHeadItem,
  isSound,
  writeConditionOf,
  hasTakenEffect,
} from './head-write-conditions.ts'
import { type Item, toItem, toNumberSet, readText, readTexts, toTextSet } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import { recordAttributesOf } from './record-format.ts'
import { type Table, updateItem } from './table/table.ts'

/** The table of the heads, and the registration of new blocks. */
export interface HeadDeps {
  readonly journalTable: Table
  readonly blocks: Blocks
}

type HeadMethods = Omit<OperationsPort, 'getOutcome' | 'putOutcome' | 'getEnds'>
type ReleaseOwner = OperationsPort['giveBack']

/** A write on a head: the request, the update, and the test for a repetition. */
interface HeadWrite extends HeadWriteRequest {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly set: string
  readonly values?: Item
  readonly isOwnWrite: (existing: Item, head: Head) => boolean
}

/** The attributes that every write of a head updates. */
const kept = '#format = :format, #expires = if_not_exists(#expires, :expires)'

/**
 * Creates the heads in the journal. A begin and a selection are one conditional update each. The
 * transition table determines the allowed writes. The item in a refusal shows whether the write was
 * done before.
 */
export function createHeads(deps: HeadDeps): HeadMethods {
  const { journalTable, blocks } = deps
  return {
    arrive: async (deployment, to, from) => {
      await blocks.note(deployment, to)
      const written = await updateItem(journalTable, {
        key: keys.head(deployment, to),
        set: `SET ${kept} ADD #arrived :from`,
        condition: isSound,
        values: {
          ...recordAttributesOf('head', journalTable),
          ...toItem({ numbers: 'NS' }),
          from: toNumberSet([from]),
        },
      })
      return parseHeadItem(deployment, to, written.isDone ? written.item : written.existing)
    },
    begin: async (deployment, operation, claim) => {
      const { owner, executor, attempt, needs } = claim
      const { isDone, head } = await writeHead(deps, {
        ...{ event: 'begin', deployment, operation, owner, attempt, needs },
        set: `${kept}, #owner = :owner, #executor = :executor ADD #attempt :one, #called :one`,
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
        set: `${kept}, #verdict = :verdict, #ended = :attempt`,
        values: toItem({ verdict }),
        isOwnWrite: (_, head) =>
          head.owner === owner && head.end?.verdict === verdict && head.end.attempt === attempt,
      })
      return isDone
    },
    getHeads: async (deployment, operations) => {
      const requested = [...new Set(operations)]
      const items = await getItems(
        journalTable,
        requested.map(id => keys.head(deployment, id)),
      )
      const byKey = new Map(items.map(item => [readText(item, 'pk'), item]))
      const found = requested.flatMap(id => {
        const item = byKey.get(keys.head(deployment, id).pk)
        return item === undefined ? [] : [[id, parseHeadItem(deployment, id, item)] as const]
      })
      return new Map(found)
    },
  }
}

/**
 * Creates the write that clears the owner of its own attempt, once. A repetition finds the mark of
 * the first write.
 */
function createOwnerRelease(deps: HeadDeps, event: 'giveBack' | 'lapse'): ReleaseOwner {
  const gaveBack = event === 'giveBack' ? ', #called :minus' : ''
  return async (deployment, operation, owner, attempt) => {
    const request: HeadWriteRequest = { event, owner, attempt, needs: 0 }
    const mark = releaseMarkOf(request)
    const { isDone } = await writeHead(deps, {
      ...{ ...request, deployment, operation },
      set: `${kept} REMOVE #owner, #executor ADD #freed :mark${gaveBack}`,
      values: { mark: toTextSet([mark]) },
      isOwnWrite: existing => readTexts(existing, 'freed').includes(mark),
    })
    return isDone
  }
}

async function writeHead(
  { journalTable, blocks }: HeadDeps,
  write: HeadWrite,
): Promise<{ readonly isDone: boolean; readonly head: Head }> {
  const { deployment, operation, owner, attempt, needs, set, values } = write
  await blocks.note(deployment, operation)
  const written = await updateItem(journalTable, {
    key: keys.head(deployment, operation),
    set: `SET ${set}`,
    condition: writeConditionOf(write),
    values: {
      ...toItem({ none: 0, one: 1, owner, attempt, needs, minus: -1, numbers: 'NS' }),
      ...recordAttributesOf('head', journalTable),
      ...values,
    },
  })
  if (written.isDone)
    return { isDone: true, head: parseHeadItem(deployment, operation, written.item) }
  const { existing } = written
  const head = parseHeadItem(deployment, operation, existing)
  const isDone =
    existing !== undefined &&
    hasTakenEffect(write, existing, head, write.isOwnWrite(existing, head))
  return { isDone, head }
}
