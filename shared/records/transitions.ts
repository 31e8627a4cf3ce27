import { assert } from '../errors/error.ts'
import type { Head } from './head.ts'

/**
 * The states of an operation's head. `decided`: an arrival is missing. `ready`: all needs have
 * arrived, and no attempt can have called the provider. `begun`: an attempt has an owner.
 * `unowned`: no owner, but an attempt may have called. `ended`: the verdict is final.
 */
export type HeadState = 'decided' | 'ready' | 'begun' | 'unowned' | 'ended'

/** The conditional writes of the operations port on a head. */
export type HeadEvent = 'arrive' | 'begin' | 'giveBack' | 'lapse' | 'select'

/**
 * The author of a request, from the head's view. `nobody` is the empty owner of a select without
 * attempt.
 */
export type Asker = 'owner' | 'stranger' | 'nobody'

/** A request from the head's view: the input of the table's conditions. */
export interface HeadRequest {
  readonly event: HeadEvent
  readonly asker: Asker
  /** Whether the attempt in the request is the head's. */
  readonly attempt: 'current' | 'stale'
  /** Whether this same request took effect before: its reply was lost, or a copy arrived late. */
  readonly repeated: boolean
  /** For an arrival: whether it was the last missing one. */
  readonly last: boolean
}

/**
 * Facts about a head and a request to it, from which the table is built. `called`: an attempt was
 * not given back, so it may have called its provider. `called before`: the same of an attempt
 * before the head's last. `complete`: all arrivals that the operation needs are present.
 */
export type Fact =
  | 'ended'
  | 'owned'
  | 'called'
  | 'called before'
  | 'complete'
  | 'the last arrives'
  | 'the owner asks'
  | 'no owner asks'
  | 'the attempt is as read'
  | 'repeated'

/** Facts that must hold, and facts that must not hold. */
export interface Condition {
  readonly is: readonly Fact[]
  readonly not: readonly Fact[]
}

/** The names of the conditions of the table. */
export type ConditionName = keyof typeof conditions

/** A valid transition. Requests without a matching row are refused and change nothing. */
export interface Transition {
  readonly from: HeadState
  readonly event: HeadEvent
  readonly when: ConditionName
  readonly to: HeadState
  /** `writes` changes the head. `repeats` returns the first result again and changes nothing. */
  readonly effect: 'writes' | 'repeats'
  readonly why: string
}

/** The definition of each state. A head is in exactly one. */
export const states = {
  decided: { is: [], not: ['ended', 'owned', 'called', 'complete'] },
  ready: { is: ['complete'], not: ['ended', 'owned', 'called'] },
  begun: { is: ['owned'], not: ['ended'] },
  unowned: { is: ['called'], not: ['ended', 'owned'] },
  ended: { is: ['ended'], not: [] },
} as const satisfies Record<HeadState, Condition>

const isOwnAttempt = ['the owner asks', 'the attempt is as read'] as const

/**
 * The definition of each condition. The rows of the table are mutually exclusive, so their order
 * does not matter.
 */
export const conditions = {
  always: { is: [], not: [] },
  'more is missing': { is: [], not: ['the last arrives'] },
  'nothing more is missing': { is: ['the last arrives'], not: [] },
  'the attempt is as read': { is: ['the attempt is as read'], not: [] },
  'the owner asks, the attempt is as read': { is: isOwnAttempt, not: [] },
  'no attempt before may have called': { is: isOwnAttempt, not: ['called before'] },
  'an attempt before may have called': { is: [...isOwnAttempt, 'called before'], not: [] },
  'no owner asks, the attempt is as read': {
    is: ['no owner asks', 'the attempt is as read'],
    not: [],
  },
  'it took effect before': { is: ['repeated'], not: [] },
} as const satisfies Record<string, Condition>

const lateCopy = 'the reply was lost, or a copy of the message arrived late'

function repeatTransition(from: HeadState, event: HeadEvent): Transition {
  return { from, event, when: 'it took effect before', to: from, effect: 'repeats', why: lateCopy }
}

function arrivalTransition(from: HeadState): Transition {
  const why = 'arrivals are a set, and the sweep may send them again at any time'
  return { from, event: 'arrive', when: 'always', to: from, effect: 'writes', why }
}

/** All valid transitions of a head (docs/architecture.md#records). */
export const transitions: readonly Transition[] = [
  {
    from: 'decided',
    event: 'arrive',
    when: 'more is missing',
    to: 'decided',
    effect: 'writes',
    why: 'a dependency succeeded',
  },
  {
    from: 'decided',
    event: 'arrive',
    when: 'nothing more is missing',
    to: 'ready',
    effect: 'writes',
    why: 'the last dependency succeeded',
  },
  arrivalTransition('ready'),
  arrivalTransition('begun'),
  arrivalTransition('unowned'),
  arrivalTransition('ended'),
  {
    from: 'ready',
    event: 'begin',
    when: 'the attempt is as read',
    to: 'begun',
    effect: 'writes',
    why: 'a delivery takes the operation and increments its attempt',
  },
  {
    from: 'unowned',
    event: 'begin',
    when: 'the attempt is as read',
    to: 'begun',
    effect: 'writes',
    why: 'recovery runs a repeatable operation again',
  },
  {
    from: 'begun',
    event: 'begin',
    when: 'the owner asks, the attempt is as read',
    to: 'begun',
    effect: 'writes',
    why: 'the same delivery retries as a new attempt',
  },
  repeatTransition('begun', 'begin'),
  {
    from: 'begun',
    event: 'giveBack',
    when: 'no attempt before may have called',
    to: 'ready',
    effect: 'writes',
    why: 'the deployment was stopped between begin and call',
  },
  {
    from: 'begun',
    event: 'giveBack',
    when: 'an attempt before may have called',
    to: 'unowned',
    effect: 'writes',
    why: 'a give-back undoes only its own attempt',
  },
  repeatTransition('ready', 'giveBack'),
  repeatTransition('unowned', 'giveBack'),
  repeatTransition('begun', 'giveBack'),
  repeatTransition('ended', 'giveBack'),
  {
    from: 'begun',
    event: 'lapse',
    when: 'the owner asks, the attempt is as read',
    to: 'unowned',
    effect: 'writes',
    why: 'the executor is gone or lost its provider; recovery names its token and attempt',
  },
  repeatTransition('unowned', 'lapse'),
  repeatTransition('begun', 'lapse'),
  repeatTransition('ended', 'lapse'),
  {
    from: 'begun',
    event: 'select',
    when: 'the owner asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'the outcome of this attempt, or interrupted, becomes the end',
  },
  {
    from: 'unowned',
    event: 'select',
    when: 'no owner asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'recovery or the close found the outcome, or ends the operation as interrupted',
  },
  {
    from: 'ready',
    event: 'select',
    when: 'no owner asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'the process that completes a join ends it; the last failed delivery ends an operation that could not be handled',
  },
  {
    from: 'decided',
    event: 'select',
    when: 'no owner asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'the store does not know the needs of a join, but its caller does',
  },
  repeatTransition('ended', 'select'),
]

/** Returns the state of a head with `needs` from its plan. */
export function headStateOf(head: Head, needs: number): HeadState {
  const isHeld = createConditionCheck(factsOfHead(head, needs))
  const found = headStates.find(state => isHeld(states[state]))
  assert(found !== undefined, 'a head is in one of the states')
  return found
}

/** Returns the valid transition for a request, or undefined when it must be refused. */
export function transitionOf(
  state: HeadState,
  request: HeadRequest,
  head: Head,
): Transition | undefined {
  const holds = createConditionCheck({ ...factsOfHead(head, 0), ...factsOfRequest(request) })
  return transitions.find(
    row => row.from === state && row.event === request.event && holds(conditions[row.when]),
  )
}

const headStates: readonly HeadState[] = ['decided', 'ready', 'begun', 'unowned', 'ended']

function createConditionCheck(
  facts: Partial<Readonly<Record<Fact, boolean>>>,
): (what: Condition) => boolean {
  return ({ is, not }) =>
    is.every(fact => facts[fact] === true) && not.every(fact => facts[fact] !== true)
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
    'the last arrives': request.last,
    'the owner asks': request.asker === 'owner',
    'no owner asks': request.asker === 'nobody',
    'the attempt is as read': request.attempt === 'current',
    repeated: request.repeated,
  }
}
