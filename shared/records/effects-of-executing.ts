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
  what: 'owner and attempt are set if all arrivals are present; then the executor reads the control record and checks its lease',
  ifDead:
    'it is unknown whether the provider was called: a create becomes interrupted, other operations run again',
  again: 1,
} as const satisfies Effect

const providerCall = {
  call: 'provider call',
  by: [`${executor}/perform.ts`],
  what: 'Create, Update or Delete is called once, and again only if the request was never written',
  ifDead: 'same as after the begin',
  only: 'when the step needs a provider change',
  again: 2,
} as const satisfies Effect

const woken = {
  call: 'nudges.nudge',
  by: handle,
  what: 'a parked generator is woken',
  ifDead: 'the watchdog nudge wakes it',
  only: 'when the generator is parked',
} as const satisfies Effect

const removed = {
  call: 'chains.remove',
  by: handle,
  what: 'the message is removed after all its operations were handled',
  ifDead: 'nothing is lost',
  only: 'unless an operation could not be handled: then the message is delivered again',
} as const satisfies Effect

/** Returns the effects that follow an end, repeated from the given number. */
const createReleaseEffects = <N extends number>(from: N) =>
  [
    {
      call: 'operations.arrive',
      by: release,
      what: 'the arrival is recorded at each operation that waits for this one',
      ifDead: 'the sweep repeats the other arrivals and sends ready operations',
      only: 'when an operation waits',
      again: from,
    },
    {
      call: 'operations.select',
      by: release,
      what: 'a join with all its arrivals is ended',
      ifDead: 'as before',
      only: 'when a join became complete',
      again: from,
    },
    {
      call: 'chains.send',
      by: release,
      what: 'the operations that became ready are sent',
      ifDead: 'the message is delivered again, and the executor finds all operations handled',
      only: 'unless a single operation became ready, which this executor runs next',
    },
    removed,
  ] as const satisfies readonly Effect[]

/** Effects of executors. */
export const effectsOfExecuting = {
  attend: {
    handler: 'step-executor',
    when: 'an executor starts and shuts down',
    per: 'executor',
    effects: [
      {
        call: 'leases.register',
        by: lease,
        what: 'the executor registers a new identity, and renews its lease every 15 s from now on',
        ifDead: 'the executor is found dead; it had begun nothing',
      },
      {
        call: 'leases.leave',
        by: lease,
        what: 'the executor retires its identity for good, after all its operations have ended',
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
        what: 'the outcome of the attempt is stored permanently',
        ifDead: 'recovery selects this outcome',
        only: 'unless the outcome is unknown',
      },
      {
        call: 'operations.select',
        by: attempt,
        what: 'the outcome becomes the end of the operation',
        ifDead: 'the sweep repeats the arrivals',
      },
      {
        call: 'catalog.putLate',
        by: attempt,
        what: "the created resource is added to the stack's inbox",
        ifDead:
          'the next deployment takes it from the inbox; if it starts before this write, it finds the outcome through the pending create',
        only: 'when the owner was considered dead and its operation has another end',
      },
      {
        call: 'catalog.noteSlow',
        by: attempt,
        what: 'the duration is stored, so that the next operation of this kind gets enough time',
        ifDead:
          'the next operation of this kind may begin without enough time; its executor waits beyond the limit',
        only: 'when the provider was slow',
      },
      woken,
      ...createReleaseEffects(8),
    ],
  },
  redo: {
    handler: 'step-executor',
    when: 'an operation that has already ended is delivered',
    per: 'run',
    effects: [
      {
        ...begun,
        what: 'refused, because the operation has ended',
        ifDead: 'the message is delivered again',
      },
      woken,
      ...createReleaseEffects(3),
    ],
  },
  drop: {
    handler: 'step-executor',
    when: 'an operation is delivered that another executor owns or that cannot begin',
    per: 'run',
    effects: [{ ...begun, what: 'refused', ifDead: 'the message is delivered again' }, removed],
  },
  giveBack: {
    handler: 'step-executor',
    when: 'an operation has begun, and then the deployment is stopped or the lease is uncertain',
    per: 'run',
    effects: [
      { ...begun, ifDead: 'it is unknown that the provider was not called' },
      {
        call: 'operations.giveBack',
        by: begin,
        what: 'the attempt is undone, because the provider was not called',
        ifDead: 'the operation counts as not begun',
      },
      removed,
    ],
  },
  askAgain: {
    handler: 'step-executor',
    when: 'the provider is lost during a call that may be repeated',
    per: 'run',
    effects: [
      begun,
      providerCall,
      {
        call: 'operations.lapse',
        by: attempt,
        what: 'the owner is cleared; the operation begins again after a pause',
        ifDead: 'the sweep sends it',
      },
    ],
  },
  giveUp: {
    handler: 'step-executor',
    when: 'the last delivery of an operation fails as well',
    per: 'run',
    effects: [
      { ...begun, ifDead: 'same as after any begin; the message is a dead letter' },
      {
        call: 'operations.putOutcome',
        by: poisoned,
        what: 'a failure is stored with the error of the last delivery as its cause',
        ifDead: 'the message is a dead letter, which `antichain redrive` sends again',
        only: 'when no attempt can have called the provider',
      },
      {
        call: 'operations.select',
        by: poisoned,
        what: 'the operation ends as failed, or as interrupted if an attempt may have called the provider',
        ifDead: 'the sweep repeats the arrivals',
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
        what: 'the operation is sent in its own message, to the same pool or to the long pool',
        ifDead: 'the first message is delivered again; the second begin is refused',
      },
      removed,
    ],
  },
  ignore: {
    handler: 'step-executor',
    when: 'a message contains operations that the log does not contain, or no longer contains',
    per: 'message',
    effects: [{ ...removed, by: [...handle, 'functions/step-executor/serve-deliveries.ts'] }],
  },
} as const satisfies Record<string, EffectList>
