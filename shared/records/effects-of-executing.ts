import type { Effect, EffectList } from './effect.ts'

const executorFolder = 'shared/engine/executor'
const callAndRecordFiles = [`${executorFolder}/call-and-record.ts`]
const beginFiles = [`${executorFolder}/begin.ts`]
const executorFiles = [`${executorFolder}/executor.ts`]
const releaseWaitersFiles = [`${executorFolder}/release-waiters.ts`]
const endUndeliverableFiles = [`${executorFolder}/end-undeliverable.ts`]
const leaseFiles = [`${executorFolder}/lease.ts`]

const beginEffect = {
  call: 'operations.begin',
  sourceFiles: beginFiles,
  description:
    'owner and attempt are set if all arrivals are present; then the executor reads the control record and checks its lease',
  afterCrash:
    'it is unknown whether the provider was called: a create becomes interrupted, other operations run again',
  loopsBackTo: 1,
} as const satisfies Effect

const providerCallEffect = {
  call: 'provider call',
  sourceFiles: [`${executorFolder}/perform-step.ts`],
  description:
    'Create, Update or Delete is called once, and again only if the request was never written',
  afterCrash: 'same as after the begin',
  condition: 'when the step needs a provider change',
  loopsBackTo: 2,
} as const satisfies Effect

const wakeEffect = {
  call: 'nudges.nudge',
  sourceFiles: [`${executorFolder}/notify-generator.ts`],
  description: 'a parked generator is woken',
  afterCrash: 'the watchdog nudge wakes it',
  condition: 'when the generator is parked',
} as const satisfies Effect

const removeMessageEffect = {
  call: 'chains.remove',
  sourceFiles: executorFiles,
  description: 'the message is removed after all its operations were handled',
  afterCrash: 'nothing is lost',
  condition: 'unless an operation could not be handled: then the message is delivered again',
} as const satisfies Effect

/**
 * Returns the effects that follow an end. `firstNumber`: the number of the first of them, to which
 * the list can return.
 */
const createReleaseEffects = <N extends number>(firstNumber: N) =>
  [
    {
      call: 'operations.arrive',
      sourceFiles: releaseWaitersFiles,
      description: 'the arrival is recorded at each operation that waits for this one',
      afterCrash: 'the sweep repeats the other arrivals and sends ready operations',
      condition: 'when an operation waits',
      loopsBackTo: firstNumber,
    },
    {
      call: 'operations.select',
      sourceFiles: releaseWaitersFiles,
      description: 'a join with all its arrivals is ended',
      afterCrash: 'as after the previous effect',
      condition: 'when a join became complete',
      loopsBackTo: firstNumber,
    },
    {
      call: 'chains.send',
      sourceFiles: releaseWaitersFiles,
      description: 'the operations that became ready are sent',
      afterCrash: 'the message is delivered again, and the executor finds all operations handled',
      condition: 'unless a single operation became ready, which this executor runs next',
    },
    removeMessageEffect,
  ] as const satisfies readonly Effect[]

/** Effects of executors. */
export const effectsOfExecuting = {
  holdLease: {
    handler: 'step-executor',
    situation: 'an executor starts and shuts down',
    orderedPer: 'executor',
    effects: [
      {
        call: 'leases.register',
        sourceFiles: leaseFiles,
        description:
          'the executor registers a new identity, and renews its lease every 15 s from now on',
        afterCrash: 'the executor is found dead; it had begun no operation',
      },
      {
        call: 'leases.leave',
        sourceFiles: leaseFiles,
        description:
          'the executor retires its identity for good, after all its operations have ended',
        afterCrash: 'nothing is lost',
      },
    ],
  },
  runOperation: {
    handler: 'step-executor',
    situation: 'an operation is delivered',
    orderedPer: 'delivery',
    effects: [
      beginEffect,
      providerCallEffect,
      {
        call: 'operations.putOutcome',
        sourceFiles: callAndRecordFiles,
        description: 'the outcome of the attempt is stored permanently',
        afterCrash: 'recovery selects this outcome',
        condition: 'unless the outcome is unknown',
      },
      {
        call: 'operations.select',
        sourceFiles: callAndRecordFiles,
        description: 'the outcome becomes the end of the operation',
        afterCrash: 'the sweep repeats the arrivals',
      },
      {
        call: 'catalog.putLateOutcome',
        sourceFiles: callAndRecordFiles,
        description: "the created resource is added to the stack's inbox",
        afterCrash:
          'the next deployment takes it from the inbox; if it starts before this write, it finds the outcome through the pending create',
        condition: 'when the owner was considered dead and its operation has another end',
      },
      {
        call: 'catalog.recordSlowOperation',
        sourceFiles: callAndRecordFiles,
        description:
          'the duration is stored, so that the next operation of this kind gets enough time',
        afterCrash:
          'the next operation of this kind may begin without enough time; its executor waits beyond the limit',
        condition: 'when the provider was slow',
      },
      wakeEffect,
      ...createReleaseEffects(8),
    ],
  },
  redeliverEnded: {
    handler: 'step-executor',
    situation: 'an operation that has already ended is delivered',
    orderedPer: 'delivery',
    effects: [
      {
        ...beginEffect,
        description: 'refused, because the operation has ended',
        afterCrash: 'the message is delivered again',
      },
      wakeEffect,
      ...createReleaseEffects(3),
    ],
  },
  refuseBegin: {
    handler: 'step-executor',
    situation: 'an operation is delivered that another executor owns or that cannot begin',
    orderedPer: 'delivery',
    effects: [
      { ...beginEffect, description: 'refused', afterCrash: 'the message is delivered again' },
      removeMessageEffect,
    ],
  },
  giveBack: {
    handler: 'step-executor',
    situation:
      'an operation has begun, and then the deployment is stopped or the lease is uncertain',
    orderedPer: 'delivery',
    effects: [
      { ...beginEffect, afterCrash: 'no record shows yet that the provider was not called' },
      {
        call: 'operations.giveBack',
        sourceFiles: beginFiles,
        description: 'the attempt is undone, because the provider was not called',
        afterCrash: 'the operation counts as not begun',
      },
      removeMessageEffect,
    ],
  },
  repeatCall: {
    handler: 'step-executor',
    situation: 'the provider is lost during the call of a repeatable operation',
    orderedPer: 'delivery',
    effects: [
      beginEffect,
      providerCallEffect,
      {
        call: 'operations.lapse',
        sourceFiles: callAndRecordFiles,
        description: 'the owner is cleared; the operation begins again after a pause',
        afterCrash: 'the sweep sends it',
      },
    ],
  },
  endUndeliverable: {
    handler: 'step-executor',
    situation: 'the last delivery of an operation fails as well',
    orderedPer: 'delivery',
    effects: [
      { ...beginEffect, afterCrash: 'same as after any begin; the message is a dead letter' },
      {
        call: 'operations.putOutcome',
        sourceFiles: endUndeliverableFiles,
        description: 'a failure is stored with the error of the last delivery as its cause',
        afterCrash: 'the message is a dead letter, which `antichain redrive` sends again',
        condition: 'when no attempt can have called the provider',
      },
      {
        call: 'operations.select',
        sourceFiles: endUndeliverableFiles,
        description:
          'the operation ends as failed, or as interrupted if an attempt may have called the provider',
        afterCrash: 'the sweep repeats the arrivals',
      },
      ...createReleaseEffects(4),
    ],
  },
  resendOperation: {
    handler: 'step-executor',
    situation: 'an operation needs more time than this executor has',
    orderedPer: 'message',
    effects: [
      {
        call: 'chains.send',
        sourceFiles: [`${executorFolder}/deferred-operations.ts`],
        description:
          'the operation is sent in its own message, to the same pool or to the long pool',
        afterCrash: 'the first message is delivered again; the second begin is refused',
      },
      removeMessageEffect,
    ],
  },
  dropMessage: {
    handler: 'step-executor',
    situation: 'a message contains operations that the log does not contain, or no longer contains',
    orderedPer: 'message',
    effects: [
      {
        ...removeMessageEffect,
        sourceFiles: [...executorFiles, 'functions/step-executor/serve-deliveries.ts'],
      },
    ],
  },
} as const satisfies Record<string, EffectList>
