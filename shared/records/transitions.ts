import { assert } from '../errors/error.ts'
import type { Head } from './head.ts'

/**
 * The states of an operation's head. `decided`: something that it needs has not ended. `ready`:
 * nothing is missing, and no attempt can have called. `begun`: an attempt has an owner. `unowned`:
 * no owner, but an attempt that may have called. `ended`: the verdict stands for ever.
 */
export type HeadState = 'decided' | 'ready' | 'begun' | 'unowned' | 'ended'

/** What can be asked of a head: the conditional writes of the operations port. */
export type HeadEvent = 'arrive' | 'begin' | 'giveBack' | 'lapse' | 'select'

/** Who asks, as seen from the head. `nobody` is the empty owner of a select without attempt. */
export type Asker = 'owner' | 'stranger' | 'nobody'

/** A request as seen from the head: what the conditions of the table are about. */
export interface HeadRequest {
  readonly event: HeadEvent
  readonly asker: Asker
  /** Whether the attempt that the request names is the head's. */
  readonly attempt: 'current' | 'stale'
  /** Whether this very request took effect before: its reply was lost, or a copy came late. */
  readonly repeated: boolean
  /** For an arrival: whether it is the last that was missing. */
  readonly last: boolean
}

/**
 * What can be true of a head and of a request to it: all that the table is made of. `called`: an
 * attempt was not given back, so that it may have called its provider; `called before`: one before
 * the head's last. `complete`: as many arrivals as the operation needs.
 */
export type Fact =
  | 'ended'
  | 'owned'
  | 'called'
  | 'called before'
  | 'complete'
  | 'the last arrives'
  | 'the owner asks'
  | 'nobody asks'
  | 'the attempt is as read'
  | 'repeated'

/** Facts that must hold, and facts that must not. */
export interface Condition {
  readonly is: readonly Fact[]
  readonly not: readonly Fact[]
}

/** The names of the conditions of the table. */
export type ConditionName = keyof typeof conditions

/** One lawful transition. What the table does not have is refused and changes nothing. */
export interface Transition {
  readonly from: HeadState
  readonly event: HeadEvent
  readonly when: ConditionName
  readonly to: HeadState
  /** `writes` changes the head; `repeats` answers as the first time did and changes nothing. */
  readonly effect: 'writes' | 'repeats'
  readonly why: string
}

/** What each state means. A head is in exactly one. */
export const states = {
  decided: { is: [], not: ['ended', 'owned', 'called', 'complete'] },
  ready: { is: ['complete'], not: ['ended', 'owned', 'called'] },
  begun: { is: ['owned'], not: ['ended'] },
  unowned: { is: ['called'], not: ['ended', 'owned'] },
  ended: { is: ['ended'], not: [] },
} as const satisfies Record<HeadState, Condition>

const isOwnAttempt = ['the owner asks', 'the attempt is as read'] as const

/** What each condition demands. The rows of the table exclude each other: order does not matter. */
export const conditions = {
  always: { is: [], not: [] },
  'more is missing': { is: [], not: ['the last arrives'] },
  'nothing more is missing': { is: ['the last arrives'], not: [] },
  'the attempt is as read': { is: ['the attempt is as read'], not: [] },
  'the owner asks, the attempt is as read': { is: isOwnAttempt, not: [] },
  'no attempt before may have called': { is: isOwnAttempt, not: ['called before'] },
  'an attempt before may have called': { is: [...isOwnAttempt, 'called before'], not: [] },
  'nobody asks, the attempt is as read': {
    is: ['nobody asks', 'the attempt is as read'],
    not: [],
  },
  'it took effect before': { is: ['repeated'], not: [] },
} as const satisfies Record<string, Condition>

const lateCopy = 'the reply was lost, or a copy of the message came late'

function repeatTransition(from: HeadState, event: HeadEvent): Transition {
  return { from, event, when: 'it took effect before', to: from, effect: 'repeats', why: lateCopy }
}

function arrivalTransition(from: HeadState): Transition {
  const why = 'arrivals are a set: the sweep sends them again at any time'
  return { from, event: 'arrive', when: 'always', to: from, effect: 'writes', why }
}

/** Every lawful transition of a head (docs/architecture.md#records). */
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
    why: 'a delivery takes the operation; its attempt is one more',
  },
  {
    from: 'unowned',
    event: 'begin',
    when: 'the attempt is as read',
    to: 'begun',
    effect: 'writes',
    why: 'recovery runs an operation of a safe kind again',
  },
  {
    from: 'begun',
    event: 'begin',
    when: 'the owner asks, the attempt is as read',
    to: 'begun',
    effect: 'writes',
    why: 'the same delivery tries once more, as a new attempt',
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
    why: 'a give back undoes its own attempt only',
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
    why: 'the executor is gone or no longer knows; recovery names its token and attempt',
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
    when: 'nobody asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'recovery or the close found the outcome, or writes interrupted',
  },
  {
    from: 'ready',
    event: 'select',
    when: 'nobody asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'a join is ended by whoever completes it, work that no delivery could handle by the last',
  },
  {
    from: 'decided',
    event: 'select',
    when: 'nobody asks, the attempt is as read',
    to: 'ended',
    effect: 'writes',
    why: 'the store does not know how many arrivals a join needs; its caller does',
  },
  repeatTransition('ended', 'select'),
]

/** The state of a head whose plan says `needs`. */
export function headStateOf(head: Head, needs: number): HeadState {
  const isHeld = createConditionCheck(factsOfHead(head, needs))
  const found = headStates.find(state => isHeld(states[state]))
  assert(found !== undefined, 'a head is in one of the states')
  return found
}

/** The lawful transition for a request; undefined when it must be refused. */
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
    'nobody asks': request.asker === 'nobody',
    'the attempt is as read': request.attempt === 'current',
    repeated: request.repeated,
  }
}
