import { buildCondition, type FactConditions } from '../../../records/head-conditions.ts'
import { type Head, type Verdict, freshHead } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../../records/ids.ts'
import { type HeadEvent, headStateOf, transitionOf } from '../../../records/transitions.ts'
import { createDamagedError } from '../../records/record-layouts.ts'
import { alwaysTrue, joinConditions, readableCondition, neverTrue } from './table/expressions.ts'
import { type Item, readNumber, readNumbers, readText } from './table/item.ts'
import { requireReadableItem } from './record-format.ts'

/** The parts of a head write request that its condition depends on. */
export interface HeadWriteRequest {
  readonly event: Exclude<HeadEvent, 'arrive'>
  readonly owner: OwnerToken | ''
  readonly attempt: number
  /** The number of arrivals that a begin requires. 0 for all other requests. */
  readonly needs: number
}

/**
 * The condition that every write of a head includes. It prevents a write to a head that is damaged
 * or has a newer format.
 */
export const soundHeadCondition = joinConditions(
  readableCondition,
  'attribute_not_exists(#arrived) OR attribute_type(#arrived, :numbers)',
)

/** Returns the condition under which a request may write, built from the transition table. */
export function writeConditionOf(request: HeadWriteRequest): string {
  return joinConditions(
    buildCondition(request.event, 'writes', factConditionsOf(request)),
    soundHeadCondition,
  )
}

/**
 * Returns the condition of each fact in the transition table that a write depends on. In a head
 * that was never written, each attribute is absent. A comparison with an absent attribute is false.
 */
function factConditionsOf({ owner, attempt, needs }: HeadWriteRequest): FactConditions {
  return {
    ended: 'attribute_exists(#verdict)',
    owned: 'attribute_exists(#owner)',
    called: '#called > :none',
    'called before': '#called > :one',
    complete: needs === 0 ? alwaysTrue : 'size(#arrived) >= :needs',
    'the requester is the owner': owner === '' ? neverTrue : '#owner = :owner',
    'the request names no owner': owner === '' ? alwaysTrue : neverTrue,
    'the attempt is current':
      attempt === 0 ? 'attribute_not_exists(#attempt)' : '#attempt = :attempt',
  }
}

/**
 * Reports whether a refused request took effect before. A request is sent again when its response
 * was lost.
 */
export function hasTakenEffect(
  headWrite: HeadWriteRequest,
  existing: Item,
  head: Head,
  isOwnWrite: boolean,
): boolean {
  const request = {
    event: headWrite.event,
    requester: headWrite.owner === '' ? 'none' : headWrite.owner === head.owner ? 'owner' : 'other',
    attempt: headWrite.attempt === readNumber(existing, 'attempt') ? 'current' : 'stale',
    isRepeated: isOwnWrite,
    isLastArrival: false,
  } as const
  return transitionOf(headStateOf(head, 0), request, head)?.action === 'repeats'
}

/**
 * Returns the key of a give-back or lapse. A head's set `freed` contains the keys of all its
 * give-backs and lapses.
 */
export function releaseKeyOf({ event, attempt, owner }: HeadWriteRequest): string {
  return `${event === 'giveBack' ? 'gave-back' : 'lapsed'} ${attempt} ${owner}`
}

/**
 * Parses the item of a head. An absent item is a fresh head. The attribute `called` is the number
 * of attempts that were not given back. The number is stored, because a condition cannot subtract.
 * The attributes `owner` and `executor` exist only while the head has an owner. The attributes
 * `verdict` and `ended` exist only after the end of the operation. `ended` is the attempt number of
 * the end. Throws RECORD_TOO_NEW, RECORD_DAMAGED.
 */
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
    throw createDamagedError('head', keys, `'${verdict}' is not a valid verdict`)
  if (item['arrived'] !== undefined && item['arrived'].NS === undefined)
    throw createDamagedError('head', keys, 'its arrivals are not a set of numbers')
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
