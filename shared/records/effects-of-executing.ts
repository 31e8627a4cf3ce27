import type { Effect, EffectList } from './effect.ts'

const executor = 'shared/engine/executor'
const attempt = [`${executor}/attempt.ts`]
const begin = [`${executor}/begin.ts`]
const handle = [`${executor}/executor.ts`]
const release = ['shared/engine/executor/release-waiters.ts']
const poisoned = ['shared/engine/executor/end-poisoned.ts']
const lease = [`${executor}/lease.ts`]

const begun = {
  call: 'operations.begin',
  by: begin,
  what: 'owner and attempt, if all that it needs has arrived; then control and lease are read',
  ifDead: 'nobody knows whether the provider was asked: a create is interrupted, others run again',
  again: 1,
} as const satisfies Effect

const providerCall = {
  call: 'provider call',
  by: [`${executor}/perform.ts`],
  what: 'one call of Create, Update or Delete; made again where it was never written',
  ifDead: 'as after the begin',
  only: 'when the step asks its provider for a change',
  again: 2,
} as const satisfies Effect

const woken = {
  call: 'nudges.nudge',
  by: handle,
  what: 'a generator that is parked is woken',
  ifDead: 'the dead-man nudge wakes it',
  only: 'when it is parked',
} as const satisfies Effect

const removed = {
  call: 'chains.remove',
  by: handle,
  what: 'the message is done with, once all its operations are',
  ifDead: 'nothing is lost',
  only: 'unless something could not be handled: then it comes again',
} as const satisfies Effect

/** What an end sets free, from the given number on. */
const createReleaseEffects = <N extends number>(from: N) =>
  [
    {
      call: 'operations.arrive',
      by: release,
      what: 'noted at each operation that waits for it',
      ifDead: 'the sweep redoes the others and sends what is ready',
      only: 'when one waits',
      again: from,
    },
    {
      call: 'operations.select',
      by: release,
      what: 'a join at which all have arrived is ended',
      ifDead: 'as before',
      only: 'when there is such',
      again: from,
    },
    {
      call: 'chains.send',
      by: release,
      what: 'what became ready',
      ifDead: 'the message comes again and finds everything done',
      only: 'unless it is one operation alone, which is run next',
    },
    removed,
  ] as const satisfies readonly Effect[]

/** What executors do. */
export const effectsOfExecuting = {
  attend: {
    handler: 'step-executor',
    when: 'an executor begins and ends',
    per: 'executor',
    effects: [
      {
        call: 'leases.register',
        by: lease,
        what: 'an identity of its own; from here on it is renewed every 15 s',
        ifDead: 'it is found to be gone; it had begun nothing',
      },
      {
        call: 'leases.leave',
        by: lease,
        what: 'the identity never comes back; all that it began has ended before',
        ifDead: 'nothing is lost',
      },
    ],
  },
  operate: {
    handler: 'step-executor',
    when: 'an operation is delivered',
    per: 'run',
    effects: [
      begun,
      providerCall,
      {
        call: 'operations.putOutcome',
        by: attempt,
        what: 'what the attempt came to, for ever',
        ifDead: 'whoever recovers it selects this outcome',
        only: 'unless nobody knows what it came to',
      },
      {
        call: 'operations.select',
        by: attempt,
        what: 'the outcome becomes the end',
        ifDead: 'the sweep redoes the arrivals',
      },
      {
        call: 'catalog.putLate',
        by: attempt,
        what: 'what a create made, into the inbox of the stack',
        ifDead: 'the next deployment takes it; before, it finds it beside the pending create',
        only: 'when its owner was taken for dead and its operation has another end',
      },
      {
        call: 'catalog.noteSlow',
        by: attempt,
        what: 'how long: the next operation of the kind is given so much time',
        ifDead: 'the next one may begin where it does not fit, and is awaited beyond the time',
        only: 'when the provider took long',
      },
      woken,
      ...createReleaseEffects(8),
    ],
  },
  redo: {
    handler: 'step-executor',
    when: 'an operation is delivered that has ended',
    per: 'run',
    effects: [
      {
        ...begun,
        what: 'refused, for it has its end',
        ifDead: 'the message comes again',
      },
      woken,
      ...createReleaseEffects(3),
    ],
  },
  drop: {
    handler: 'step-executor',
    when: 'an operation is delivered that another executor has, or that is not to be begun',
    per: 'run',
    effects: [{ ...begun, what: 'refused', ifDead: 'the message comes again' }, removed],
  },
  giveBack: {
    handler: 'step-executor',
    when: 'an operation was begun, and the deployment was stopped or the lease is in doubt',
    per: 'run',
    effects: [
      { ...begun, ifDead: 'nobody knows that the provider was not asked' },
      {
        call: 'operations.giveBack',
        by: begin,
        what: 'the attempt is undone: nobody was asked',
        ifDead: 'it is as if it had not begun',
      },
      removed,
    ],
  },
  askAgain: {
    handler: 'step-executor',
    when: 'a provider is lost in a call that may be repeated',
    per: 'run',
    effects: [
      begun,
      providerCall,
      {
        call: 'operations.lapse',
        by: attempt,
        what: 'the operation has no owner any more; it is begun again after a pause',
        ifDead: 'the sweep sends it',
      },
    ],
  },
  giveUp: {
    handler: 'step-executor',
    when: 'the last delivery of an operation could not be handled either',
    per: 'run',
    effects: [
      { ...begun, ifDead: 'as for any begin; the message is a dead letter' },
      {
        call: 'operations.putOutcome',
        by: poisoned,
        what: 'a failure with what the last delivery stumbled over as its cause',
        ifDead: 'the message is a dead letter, which `antichain redrive` sends again',
        only: 'when no attempt can have called',
      },
      {
        call: 'operations.select',
        by: poisoned,
        what: 'the operation has failed, or is interrupted where an attempt may have called',
        ifDead: 'the sweep redoes the arrivals',
      },
      ...createReleaseEffects(4),
    ],
  },
  move: {
    handler: 'step-executor',
    when: 'an operation needs more time than this executor has',
    per: 'message',
    effects: [
      {
        call: 'chains.send',
        by: handle,
        what: 'a message of its own: to the same pool, or to the one without a time limit',
        ifDead: 'the first message comes again; the second begin is refused',
      },
      removed,
    ],
  },
  ignore: {
    handler: 'step-executor',
    when: 'a message comes of operations that the log does not hold, or holds no more',
    per: 'message',
    effects: [{ ...removed, by: [...handle, 'functions/step-executor/serve-deliveries.ts'] }],
  },
} as const satisfies Record<string, EffectList>
