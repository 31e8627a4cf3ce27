import { buildCondition, type FactConditions } from '../../../records/head-conditions.ts'
import { type Head, type Verdict, freshHead } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../../records/ids.ts'
import { type HeadEvent, headStateOf, transitionOf } from '../../../records/transitions.ts'
import { damagedError } from '../../records/record-forms.ts'
import { always, andConditions, isReadable, never } from './table/expressions.ts'
import { type Item, readNumber, readNumbers, readText } from './table/item.ts'
import { requireReadableItem } from './record-format.ts'

/**
 * Heads as items. `called` is the number of attempts that were not given back, for a condition
 * cannot calculate. Attributes of a head that nobody owns or that has not ended are absent.
 */

/** A request to a head, as far as its condition goes. */
export interface HeadWriteRequest {
  readonly event: Exclude<HeadEvent, 'arrive'>
  readonly owner: OwnerToken | ''
  readonly attempt: number
  /** What the plan says it needs; only a begin knows. */
  readonly needs: number
}

/**
 * What every write of a head demands: nothing is written over a head that a newer version wrote, or
 * that is damaged.
 */
export const isSound = andConditions(
  isReadable,
  'attribute_not_exists(#arrived) OR attribute_type(#arrived, :numbers)',
)

/** The condition under which a request may write, made from the table of transitions. */
export function writeConditionOf(ask: HeadWriteRequest): string {
  return andConditions(buildCondition(ask.event, 'writes', factConditionsOf(ask)), isSound)
}

/** Comparisons with what is absent do not hold, and what nobody touched has nothing. */
function factConditionsOf({ owner, attempt, needs }: HeadWriteRequest): FactConditions {
  return {
    ended: 'attribute_exists(#verdict)',
    owned: 'attribute_exists(#owner)',
    called: '#called > :none',
    'called before': '#called > :one',
    complete: needs === 0 ? always : 'size(#arrived) >= :needs',
    'the owner asks': owner === '' ? never : '#owner = :owner',
    'nobody asks': owner === '' ? always : never,
    'the attempt is as read':
      attempt === 0 ? 'attribute_not_exists(#attempt)' : '#attempt = :attempt',
  }
}

/** Whether what stands is what this request did: it was repeated, for its reply was lost. */
export function hasTakenEffect(
  ask: HeadWriteRequest,
  existing: Item,
  head: Head,
  isMark: boolean,
): boolean {
  const request = {
    event: ask.event,
    asker: ask.owner === '' ? 'nobody' : ask.owner === head.owner ? 'owner' : 'stranger',
    attempt: ask.attempt === readNumber(existing, 'attempt') ? 'current' : 'stale',
    repeated: isMark,
    last: false,
  } as const
  return transitionOf(headStateOf(head, 0), request, head)?.effect === 'repeats'
}

/** The mark of a give back or lapse, by which its repetition is known. */
export function releaseMarkOf({ event, attempt, owner }: HeadWriteRequest): string {
  return `${event === 'giveBack' ? 'gave-back' : 'lapsed'} ${attempt} ${owner}`
}

/** A head that was read; one that is absent is fresh. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
export function parseHeadItem(
  deployment: DeploymentId,
  operation: OperationId,
  item: Item | undefined,
): Head {
  if (item === undefined) return freshHead
  const keys = { deployment, operation }
  requireReadableItem('head', keys, item)
  const [attempt, called] = [readNumber(item, 'attempt'), readNumber(item, 'called')]
  const verdict = readText(item, 'verdict')
  if (item['verdict'] !== undefined && !isVerdict(verdict))
    throw damagedError('head', keys, `no operation ends as '${verdict}'`)
  if (item['arrived'] !== undefined && item['arrived'].NS === undefined)
    throw damagedError('head', keys, 'its arrivals are no set of numbers')
  return {
    arrived: readNumbers(item, 'arrived') as readonly OperationId[],
    attempt,
    owner: readText(item, 'owner') as OwnerToken,
    executor: readText(item, 'executor') as ExecutorId,
    givenBack: attempt - called,
    ...(isVerdict(verdict) ? { end: { verdict, attempt: readNumber(item, 'ended') } } : {}),
  }
}

const verdicts: ReadonlySet<string> = new Set(['succeeded', 'partial', 'failed', 'interrupted'])

function isVerdict(text: string): text is Verdict {
  return verdicts.has(text)
}
