import type { OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { getItems } from './batches.ts'
import type { Blocks } from './blocks.ts'
import { freedMark, type HeadAsk, headIn, isSound, mayWrite, tookEffect } from './head-writes.ts'
import { type Item, itemOf, numbersOf, text, texts, textsOf } from './item.ts'
import { journalKeys as keys } from './keys.ts'
import { formOf } from './stored.ts'
import { type Table, updateItem } from './table.ts'

/** Where heads are, and how the place of a new one is noted. */
export interface HeadDeps {
  readonly journal: Table
  readonly blocks: Blocks
}

type Heads = Omit<OperationsPort, 'outcome' | 'putOutcome' | 'ends'>
type Free = OperationsPort['giveBack']

/** One write on a head: what is asked, how it is done, and how a repetition is known. */
interface HeadWrite extends HeadAsk {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly set: string
  readonly values?: Item
  readonly isMine: (stands: Item, head: Head) => boolean
}

/** What every write of a head keeps up to date. */
const kept = '#format = :format, #expires = if_not_exists(#expires, :expires)'

/**
 * Heads in the journal: a begin and a selection are one conditional update each. What may be
 * written is said by the table of transitions; what was written before is recognised in the item
 * that a refusal brings along.
 */
export function createHeads(deps: HeadDeps): Heads {
  const { journal, blocks } = deps
  return {
    arrive: async (deployment, to, from) => {
      await blocks.note(deployment, to)
      const written = await updateItem(journal, {
        key: keys.head(deployment, to),
        set: `SET ${kept} ADD #arrived :from`,
        condition: isSound,
        values: {
          ...formOf('head', journal),
          ...itemOf({ numbers: 'NS' }),
          from: numbersOf([from]),
        },
      })
      return headIn(deployment, to, written.isDone ? written.now : written.stands)
    },
    begin: async (deployment, operation, claim) => {
      const { owner, executor, attempt, needs } = claim
      const { isDone, head } = await writeHead(deps, {
        ...{ event: 'begin', deployment, operation, owner, attempt, needs },
        set: `${kept}, #owner = :owner, #executor = :executor ADD #attempt :one, #called :one`,
        values: itemOf({ executor }),
        isMine: (_, head) => head.owner === owner && head.attempt === attempt + 1,
      })
      return isDone ? { kind: 'begun', attempt: attempt + 1 } : { kind: 'refused', head }
    },
    giveBack: freeing(deps, 'giveBack'),
    lapse: freeing(deps, 'lapse'),
    select: async (deployment, operation, { owner, attempt, verdict }) => {
      const { isDone } = await writeHead(deps, {
        ...{ event: 'select', deployment, operation, owner, attempt, needs: 0 },
        set: `${kept}, #verdict = :verdict, #ended = :attempt`,
        values: itemOf({ verdict }),
        isMine: (_, head) =>
          head.owner === owner && head.end?.verdict === verdict && head.end.attempt === attempt,
      })
      return isDone
    },
    heads: async (deployment, operations) => {
      const asked = [...new Set(operations)]
      const items = await getItems(
        journal,
        asked.map(id => keys.head(deployment, id)),
      )
      const byKey = new Map(items.map(item => [text(item, 'pk'), item]))
      const found = asked.flatMap(id => {
        const item = byKey.get(keys.head(deployment, id).pk)
        return item === undefined ? [] : [[id, headIn(deployment, id, item)] as const]
      })
      return new Map(found)
    },
  }
}

/** Clears the owner of its own attempt, once; a repetition finds the mark of the first time. */
function freeing(deps: HeadDeps, event: 'giveBack' | 'lapse'): Free {
  const gaveBack = event === 'giveBack' ? ', #called :minus' : ''
  return async (deployment, operation, owner, attempt) => {
    const ask: HeadAsk = { event, owner, attempt, needs: 0 }
    const mark = freedMark(ask)
    const { isDone } = await writeHead(deps, {
      ...{ ...ask, deployment, operation },
      set: `${kept} REMOVE #owner, #executor ADD #freed :mark${gaveBack}`,
      values: { mark: textsOf([mark]) },
      isMine: stands => texts(stands, 'freed').includes(mark),
    })
    return isDone
  }
}

async function writeHead(
  { journal, blocks }: HeadDeps,
  about: HeadWrite,
): Promise<{ readonly isDone: boolean; readonly head: Head }> {
  const { deployment, operation, owner, attempt, needs, set, values } = about
  await blocks.note(deployment, operation)
  const written = await updateItem(journal, {
    key: keys.head(deployment, operation),
    set: `SET ${set}`,
    condition: mayWrite(about),
    values: {
      ...itemOf({ none: 0, one: 1, owner, attempt, needs, minus: -1, numbers: 'NS' }),
      ...formOf('head', journal),
      ...values,
    },
  })
  if (written.isDone) return { isDone: true, head: headIn(deployment, operation, written.now) }
  const { stands } = written
  const head = headIn(deployment, operation, stands)
  const isDone = stands !== undefined && tookEffect(about, stands, head, about.isMine(stands, head))
  return { isDone, head }
}
