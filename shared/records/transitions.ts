import { assert } from '../errors/error.ts'
import type { Head } from './head.ts'

/**
 * The states of an operation's head. `decided`: an arrival is missing. `ready`: all needs have
 * arrived, and no attempt can have called the provider. `begun`: an attempt has an owner.
 * `unowned`: no owner, but an attempt may have called the provider. `ended`: the verdict is final.
 */
export type HeadState = 'decided' | 'ready' | 'begun' | 'unowned' | 'ended'

/** The conditional writes of the operations port on a head. */
export type HeadEvent = 'arrive' | 'begin' | 'giveBack' | 'lapse' | 'select'

/**
 * The requester of a head write, by the owner token in the request. `owner`: the token of the
 * head's owner. `other`: another token. `none`: no token, as in the select of an operation without
 * an owner.
 */
export type Requester = 'owner' | 'other' | 'none'

/** The properties of a request to a head that the conditions of `transitions` use. */
export interface HeadRequest {
  readonly event: HeadEvent
  readonly requester: Requester
  /** Whether the attempt in the request is the last attempt of the head. */
  readonly attempt: 'current' | 'stale'
  /**
   * Whether the same request took effect before. Then its reply was lost, or a copy of it arrived
   * late.
   */
  readonly isRepeated: boolean
  /** For an arrival: whether it is the last missing arrival. */
  readonly isLastArrival: boolean
}

/**
 * Facts about a head and a request to it. The conditions of `transitions` consist of these facts.
 * `called`: an attempt was not given back, so it may have called its provider. `called before`: an
 * attempt before the head's last attempt was not given back. `complete`: all arrivals that the
 * operation needs are present.
 */
export type Fact =
  | 'ended'
  | 'owned'
  | 'called'
  | 'called before'
  | 'complete'
  | 'it is the last arrival'
  | 'the requester is the owner'
  | 'the request names no owner'
  | 'the attempt is current'
  | 'repeated'

/** Facts that must hold, and facts that must not hold. */
export interface Condition {
  readonly requiredFacts: readonly Fact[]
  readonly forbiddenFacts: readonly Fact[]
}

/** The names of the conditions of `transitions`. */
export type ConditionName = keyof typeof conditions

/** A valid transition. Requests without a matching row are refused and change nothing. */
export interface Transition {
  readonly from: HeadState
  readonly event: HeadEvent
  readonly condition: ConditionName
  readonly to: HeadState
  /** `writes` changes the head. `repeats` returns the first result again and changes nothing. */
  readonly action: 'writes' | 'repeats'
  readonly reason: string
}

/** The definition of each state. A head is in exactly one. */
export const headStateConditions = {
  decided: { requiredFacts: [], forbiddenFacts: ['ended', 'owned', 'called', 'complete'] },
  ready: { requiredFacts: ['complete'], forbiddenFacts: ['ended', 'owned', 'called'] },
  begun: { requiredFacts: ['owned'], forbiddenFacts: ['ended'] },
  unowned: { requiredFacts: ['called'], forbiddenFacts: ['ended', 'owned'] },
  ended: { requiredFacts: ['ended'], forbiddenFacts: [] },
} as const satisfies Record<HeadState, Condition>

const currentOwnerFacts = ['the requester is the owner', 'the attempt is current'] as const

/**
 * The definition of each condition. The rows of `transitions` are mutually exclusive, so their
 * order does not matter.
 */
export const conditions = {
  always: { requiredFacts: [], forbiddenFacts: [] },
  'it is not the last arrival': { requiredFacts: [], forbiddenFacts: ['it is the last arrival'] },
  'it is the last arrival': { requiredFacts: ['it is the last arrival'], forbiddenFacts: [] },
  'the attempt is current': { requiredFacts: ['the attempt is current'], forbiddenFacts: [] },
  'the requester is the owner, the attempt is current': {
    requiredFacts: currentOwnerFacts,
    forbiddenFacts: [],
  },
  'no earlier attempt may have called': {
    requiredFacts: currentOwnerFacts,
    forbiddenFacts: ['called before'],
  },
  'an earlier attempt may have called': {
    requiredFacts: [...currentOwnerFacts, 'called before'],
    forbiddenFacts: [],
  },
  'the request names no owner, the attempt is current': {
    requiredFacts: ['the request names no owner', 'the attempt is current'],
    forbiddenFacts: [],
  },
  'the request took effect before': { requiredFacts: ['repeated'], forbiddenFacts: [] },
} as const satisfies Record<string, Condition>

const lateCopyReason = 'the reply was lost, or a copy of the message arrived late'

function createRepeatTransition(from: HeadState, event: HeadEvent): Transition {
  return {
    from,
    event,
    condition: 'the request took effect before',
    to: from,
    action: 'repeats',
    reason: lateCopyReason,
  }
}

function createArrivalTransition(from: HeadState): Transition {
  const reason = 'arrivals are a set, and the sweep may send them again at any time'
  return { from, event: 'arrive', condition: 'always', to: from, action: 'writes', reason }
}

/** All valid transitions of a head (docs/architecture.md#records). */
export const transitions: readonly Transition[] = [
  {
    from: 'decided',
    event: 'arrive',
    condition: 'it is not the last arrival',
    to: 'decided',
    action: 'writes',
    reason: 'a dependency succeeded',
  },
  {
    from: 'decided',
    event: 'arrive',
    condition: 'it is the last arrival',
    to: 'ready',
    action: 'writes',
    reason: 'the last dependency succeeded',
  },
  createArrivalTransition('ready'),
  createArrivalTransition('begun'),
  createArrivalTransition('unowned'),
  createArrivalTransition('ended'),
  {
    from: 'ready',
    event: 'begin',
    condition: 'the attempt is current',
    to: 'begun',
    action: 'writes',
    reason: 'a delivery becomes the owner of the operation and increments its attempt',
  },
  {
    from: 'unowned',
    event: 'begin',
    condition: 'the attempt is current',
    to: 'begun',
    action: 'writes',
    reason: 'recovery runs a repeatable operation again',
  },
  {
    from: 'begun',
    event: 'begin',
    condition: 'the requester is the owner, the attempt is current',
    to: 'begun',
    action: 'writes',
    reason: 'the same delivery retries as a new attempt',
  },
  createRepeatTransition('begun', 'begin'),
  {
    from: 'begun',
    event: 'giveBack',
    condition: 'no earlier attempt may have called',
    to: 'ready',
    action: 'writes',
    reason: 'the deployment was stopped between begin and call',
  },
  {
    from: 'begun',
    event: 'giveBack',
    condition: 'an earlier attempt may have called',
    to: 'unowned',
    action: 'writes',
    reason: 'a give-back undoes only its own attempt',
  },
  createRepeatTransition('ready', 'giveBack'),
  createRepeatTransition('unowned', 'giveBack'),
  createRepeatTransition('begun', 'giveBack'),
  createRepeatTransition('ended', 'giveBack'),
  {
    from: 'begun',
    event: 'lapse',
    condition: 'the requester is the owner, the attempt is current',
    to: 'unowned',
    action: 'writes',
    reason:
      'the executor is gone or lost its provider; recovery names the token and attempt of the owner',
  },
  createRepeatTransition('unowned', 'lapse'),
  createRepeatTransition('begun', 'lapse'),
  createRepeatTransition('ended', 'lapse'),
  {
    from: 'begun',
    event: 'select',
    condition: 'the requester is the owner, the attempt is current',
    to: 'ended',
    action: 'writes',
    reason: 'the outcome of this attempt, or interrupted, becomes the end',
  },
  {
    from: 'unowned',
    event: 'select',
    condition: 'the request names no owner, the attempt is current',
    to: 'ended',
    action: 'writes',
    reason: 'recovery or the close found the outcome, or ends the operation as interrupted',
  },
  {
    from: 'ready',
    event: 'select',
    condition: 'the request names no owner, the attempt is current',
    to: 'ended',
    action: 'writes',
    reason:
      'the process that completes a join ends the join; the last failed delivery ends its operation',
  },
  {
    from: 'decided',
    event: 'select',
    condition: 'the request names no owner, the attempt is current',
    to: 'ended',
    action: 'writes',
    reason: 'the caller found a join complete; the store does not know the number of its needs',
  },
  createRepeatTransition('ended', 'select'),
]

/** Returns the state of a head. `needs`: the number of arrivals that its operation requires. */
export function headStateOf(head: Head, needs: number): HeadState {
  const isFulfilled = createConditionCheck(factsOfHead(head, needs))
  const matchingState = headStates.find(state => isFulfilled(headStateConditions[state]))
  assert(matchingState !== undefined, 'a head is in one of the states')
  return matchingState
}

/** Returns the valid transition for a request, or undefined when it must be refused. */
export function transitionOf(
  state: HeadState,
  request: HeadRequest,
  head: Head,
): Transition | undefined {
  // No condition of a row uses the fact `complete`, so the number of needs does not matter.
  const isFulfilled = createConditionCheck({ ...factsOfHead(head, 0), ...factsOfRequest(request) })
  return transitions.find(
    row =>
      row.from === state && row.event === request.event && isFulfilled(conditions[row.condition]),
  )
}

const headStates: readonly HeadState[] = ['decided', 'ready', 'begun', 'unowned', 'ended']

function createConditionCheck(
  facts: Partial<Readonly<Record<Fact, boolean>>>,
): (condition: Condition) => boolean {
  return ({ requiredFacts, forbiddenFacts }) =>
    requiredFacts.every(fact => facts[fact] === true) &&
    forbiddenFacts.every(fact => facts[fact] !== true)
}

function factsOfHead(head: Head, needs: number): Partial<Record<Fact, boolean>> {
  return {
    ended: head.end !== undefined,
    owned: head.owner !== '',
    called: head.attempt > head.givenBack,
    'called before': head.attempt - 1 > head.givenBack,
    complete: head.arrived.length >= needs,
  }
}

function factsOfRequest(request: HeadRequest): Partial<Record<Fact, boolean>> {
  return {
    'it is the last arrival': request.isLastArrival,
    'the requester is the owner': request.requester === 'owner',
    'the request names no owner': request.requester === 'none',
    'the attempt is current': request.attempt === 'current',
    repeated: request.isRepeated,
  }
}
