import { limits } from '../../../config/limits.ts'
import { assert } from '../../../errors/error.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Head, Outcome } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { getItems } from './batches.ts'
import type { Blocks } from './blocks.ts'
import { isReadable } from './expressions.ts'
import { freedMark, type HeadAsk, headIn, mayWrite, tookEffect } from './head-writes.ts'
import { type Item, itemOf, numbersOf, text, texts, textsOf } from './item.ts'
import { journalKeys as keys } from './keys.ts'
import { formOf, jsonIn, readableItem } from './stored.ts'
import { getItem, putItem, type Table, updateItem } from './table.ts'

type Ends = Awaited<ReturnType<OperationsPort['ends']>>
type Free = OperationsPort['giveBack']

/** One write on a head: what is asked, how it is done, and how a repetition is known. */
interface HeadWrite extends HeadAsk {
  readonly set: string
  readonly values?: Item
  readonly isMine: (stands: Item, head: Head) => boolean
}

/**
 * Heads and outcomes in the journal: a begin and a selection are one conditional update each. What
 * may be written is said by the table of transitions; what was written before is recognised in the
 * item that a refusal brings along.
 */
export function createOperations(journal: Table, blocks: Blocks): OperationsPort {
  const write = async (
    deployment: DeploymentId,
    operation: OperationId,
    about: HeadWrite,
  ): Promise<{ readonly isDone: boolean; readonly head: Head }> => {
    const { owner, attempt, needs, set, values } = about
    await blocks.note(deployment, operation)
    const written = await updateItem(journal, {
      key: keys.head(deployment, operation),
      set: `SET ${set}`,
      condition: mayWrite(about),
      values: {
        ...itemOf({ none: 0, one: 1, owner, attempt, needs, minus: -1 }),
        ...formOf('head', journal),
        ...values,
      },
    })
    if (written.isDone) return { isDone: true, head: headIn(deployment, operation, written.now) }
    const { stands } = written
    const head = headIn(deployment, operation, stands)
    const isDone =
      stands !== undefined && tookEffect(about, stands, head, about.isMine(stands, head))
    return { isDone, head }
  }
  const free =
    (event: 'giveBack' | 'lapse'): Free =>
    async (deployment, operation, owner, attempt) => {
      const ask: HeadAsk = { event, owner, attempt, needs: 0 }
      const mark = freedMark(ask)
      const gaveBack = event === 'giveBack' ? ', #called :minus' : ''
      const { isDone } = await write(deployment, operation, {
        ...ask,
        set: `${kept} REMOVE #owner, #executor ADD #freed :mark${gaveBack}`,
        values: { mark: textsOf([mark]) },
        isMine: stands => texts(stands, 'freed').includes(mark),
      })
      return isDone
    }
  return {
    arrive: async (deployment, to, from) => {
      await blocks.note(deployment, to)
      const written = await updateItem(journal, {
        key: keys.head(deployment, to),
        set: `SET ${kept} ADD #arrived :from`,
        condition: isReadable,
        values: { ...formOf('head', journal), from: numbersOf([from]) },
      })
      return headIn(deployment, to, written.isDone ? written.now : written.stands)
    },
    begin: async (deployment, operation, claim) => {
      const { owner, executor, attempt, needs } = claim
      const { isDone, head } = await write(deployment, operation, {
        ...{ event: 'begin', owner, attempt, needs },
        set: `${kept}, #owner = :owner, #executor = :executor ADD #attempt :one, #called :one`,
        values: itemOf({ executor }),
        isMine: (_, head) => head.owner === owner && head.attempt === attempt + 1,
      })
      return isDone ? { kind: 'begun', attempt: attempt + 1 } : { kind: 'refused', head }
    },
    giveBack: free('giveBack'),
    lapse: free('lapse'),
    select: async (deployment, operation, { owner, attempt, verdict }) => {
      const { isDone } = await write(deployment, operation, {
        ...{ event: 'select', owner, attempt, needs: 0 },
        set: `${kept}, #verdict = :verdict, #ended = :attempt`,
        values: itemOf({ verdict }),
        isMine: (_, head) =>
          head.owner === owner && head.end?.verdict === verdict && head.end.attempt === attempt,
      })
      return isDone
    },
    ...reads(journal),
    putOutcome: async (deployment, outcome) => {
      const { operation, attempt } = outcome
      await blocks.note(deployment, operation)
      await putItem(journal, {
        key: keys.outcome(deployment, operation, attempt),
        item: { ...formOf('outcome', journal), ...itemOf({ record: JSON.stringify(outcome) }) },
        ifAbsent: true,
      })
    },
  }
}

/** What every write of a head keeps up to date. */
const kept = '#format = :format, #ttl = if_not_exists(#ttl, :ttl)'

function reads(journal: Table): Pick<OperationsPort, 'heads' | 'ends' | 'outcome'> {
  const heads: OperationsPort['heads'] = async (deployment, operations) => {
    assertFew(operations)
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
  }
  return {
    heads,
    outcome: async (deployment, operation, attempt) => {
      const item = await getItem(journal, keys.outcome(deployment, operation, attempt))
      return item === undefined ? undefined : outcomeIn({ deployment, operation, attempt }, item)
    },
    ends: async (deployment, operations) => {
      const all = await heads(deployment, operations)
      const ended = [...all].flatMap(([operation, { end }]) =>
        end === undefined ? [] : [{ deployment, operation, attempt: end.attempt }],
      )
      // A join ends without an attempt, and so without an outcome.
      const places = ended.filter(({ attempt }) => attempt > 0)
      const items = await getItems(
        journal,
        places.map(({ operation, attempt }) => keys.outcome(deployment, operation, attempt)),
      )
      const byKey = new Map(items.map(item => [text(item, 'pk'), item]))
      const outcomes = new Map(
        places.flatMap(place => {
          const item = byKey.get(keys.head(deployment, place.operation).pk)
          return item === undefined ? [] : [[place.operation, outcomeIn(place, item)] as const]
        }),
      )
      return new Map([...all].map(([id, head]) => [id, endOf(head, outcomes.get(id))]))
    },
  }
}

function endOf(head: Head, outcome: Outcome | undefined): NonNullable<ReturnType<Ends['get']>> {
  return outcome === undefined ? { head } : { head, outcome }
}

function assertFew(operations: readonly OperationId[]): void {
  assert(operations.length <= limits.idsPerReadMax, 'a read names at most 500 operations')
}

function outcomeIn(
  place: {
    readonly deployment: DeploymentId
    readonly operation: OperationId
    readonly attempt: number
  },
  item: Item,
): Outcome {
  readableItem('outcome', place, item)
  return jsonIn({ kind: 'outcome', keys: place }, item, 'record', isOutcome)
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'verdict' in value && 'attempt' in value
}
