import type { EffectList } from './effect.ts'

const compaction = ['shared/runtime/compaction/fold-and-publish.ts']
const close = ['shared/engine/deployment/ownership/close.ts']
const takeOver = ['shared/engine/deployment/ownership/take-over.ts']
const recover = ['shared/engine/deployment/recovery/recover.ts']
const sweep = ['shared/engine/deployment/recovery/sweep.ts']
const leave = ['functions/step-generator/hand-over.ts']
const resume = ['functions/step-generator/resume-deployment.ts']

/** Effects of the generator between runs, on operations without an owner, and at the end. */
export const effectsOfGeneratorRuns = {
  stop: {
    handler: 'step-generator',
    when: 'a failure ends the deployment early',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append phase stopping',
        by: ['functions/step-generator/run-deployment.ts'],
        what: 'the record proves that this generator still owns the log: a deposed one fails here and stops nothing',
        ifDead: 'a resume continues until it hits the failure again',
      },
      {
        call: 'control.stop',
        by: ['functions/step-generator/run-deployment.ts'],
        what: 'no further operation begins; the generator waits for the running ones',
        ifDead: 'the flag is never cleared: the next generator only closes the deployment',
        again: 2,
      },
    ],
  },
  close: {
    handler: 'step-generator',
    when: 'a deployment ends, or another process closes a dead one',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append closing',
        by: [
          'functions/step-generator/run-deployment.ts',
          'functions/step-generator/start-deployment.ts',
          ...takeOver,
        ],
        what: 'no decision follows this record',
        ifDead: 'a generator that takes over only closes the deployment',
        only: 'unless an interrupted close already wrote it',
      },
      {
        call: 'control.stop',
        by: close,
        what: 'no operation begins after this; the close waits for the running ones',
        ifDead: 'as before',
      },
      {
        call: 'operations.select',
        by: ['shared/engine/deployment/recovery/settle-orphans.ts'],
        what: 'operations of dead executors end: with their outcome if one was stored, otherwise as interrupted',
        ifDead: 'the next close ends the other operations',
        only: 'when a dead executor left operations',
        again: 3,
      },
      {
        call: 'blobs.put',
        by: compaction,
        what: 'the fold is stored; again if the store rejects the next effect temporarily',
        ifDead: 'the next close folds to the same bytes',
        only: 'when a base was pinned',
        again: 4,
      },
      {
        call: 'catalog.publish',
        by: compaction,
        what: 'the snapshot pointer moves on from the pinned version',
        ifDead: 'the next close finds the pointer at its own fold',
        only: 'when a base was pinned',
      },
      {
        call: 'control.close',
        by: close,
        what: 'late messages are dropped from now on',
        ifDead: 'the next process that checks the stack repeats the release',
      },
      {
        call: 'catalog.release',
        by: close,
        what: 'the stack is free, and the history entry is complete',
        ifDead: 'the deployment is over',
      },
      {
        call: 'nudges.nudge',
        by: close,
        what: 'processes that wait for the stack check it immediately',
        ifDead: 'they find out by polling',
      },
    ],
  },
  bury: {
    handler: 'step-generator',
    when: 'a take-over, sweep or close finds a dead executor',
    per: 'process',
    effects: [
      {
        call: 'leases.retire',
        by: ['shared/engine/deployment/ownership/liveness.ts'],
        what: 'its identity is retired for good; its remaining processes on this host were ended before',
        ifDead: 'the next check finds the identity retired, and recovers its operations',
      },
    ],
  },
  takeOver: {
    handler: 'step-generator',
    when: 'a deployment that was handed over, or whose holder died, is resumed, woken or closed',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append takeover',
        by: takeOver,
        what: 'this generator run writes the log; records of an earlier one are refused',
        ifDead: 'the next generator takes over from this one',
      },
      {
        call: 'control.create',
        by: takeOver,
        what: 'the control record is created if the dead holder had not created it',
        ifDead: 'the next generator takes over from this one',
      },
      {
        call: 'control.hold',
        by: takeOver,
        what: 'the control record names the new holder, and the hand-over is cleared',
        ifDead: 'the next generator takes over from this one',
      },
      {
        call: 'catalog.removeLate',
        by: takeOver,
        what: 'the late outcomes that the pin took are removed from the inbox',
        ifDead: 'nothing is lost',
        only: 'when the pin took late outcomes',
      },
    ],
  },
  withdrawn: {
    handler: 'step-generator',
    when: 'a generator run starts for a request that was withdrawn while it was pinned',
    per: 'process',
    effects: [
      {
        call: 'control.stop',
        by: ['shared/engine/deployment/ownership/end-request.ts'],
        what: 'no operation of the deployment begins',
        ifDead: 'the flag is never cleared, and the next generator raises it again',
      },
    ],
  },
  sweep: {
    handler: 'step-generator',
    when: 'on every wake, every 30 s, and after an executor was found dead',
    per: 'process',
    effects: [
      {
        call: 'operations.select',
        by: recover,
        what: 'operations of dead executors end with their stored outcome; a create without one ends as interrupted',
        ifDead: 'the next sweep handles the others',
        only: 'when a dead executor left operations',
        again: 1,
      },
      {
        call: 'operations.lapse',
        by: recover,
        what: 'the owner of a repeatable operation is cleared',
        ifDead: 'the next sweep sends it',
        only: 'when a dead executor left operations',
        again: 1,
      },
      {
        call: 'operations.arrive',
        by: sweep,
        what: 'an end is recorded as arrival at the operations that wait for it',
        ifDead: 'the next sweep records the others',
        only: 'when an arrival was missing',
        again: 3,
      },
      {
        call: 'operations.select',
        by: sweep,
        what: 'a join with all its arrivals is ended',
        ifDead: 'the next sweep repeats its arrivals',
        only: 'when a join became complete',
        again: 3,
      },
      {
        call: 'chains.send',
        by: sweep,
        what: 'ready operations without an owner are sent',
        ifDead: 'executors run them; an executor that receives one twice finds it begun or ended',
        only: 'when an operation is ready',
      },
    ],
  },
  leave: {
    handler: 'step-generator',
    when: 'its time limit is near or it only waits; the decisions made so far are durable',
    per: 'process',
    effects: [
      {
        call: 'control.handOver',
        by: leave,
        what: "the deployment is handed over to the next generator run, after this run's program was killed",
        ifDead: 'the holder is known to be dead: the deployment continues as after a crash',
      },
      {
        call: 'nudges.nudge',
        by: leave,
        what: 'the next generator run starts',
        ifDead: 'as before',
        only: 'unless an end will wake it',
      },
    ],
  },
  parkOn: {
    handler: 'step-generator',
    when: 'a parked generator is woken, has taken over and swept, and finds no new end',
    per: 'process',
    effects: [
      {
        call: 'control.handOver',
        by: resume,
        what: 'the deployment is parked again as before',
        ifDead: 'the holder is known to be dead: the deployment continues as after a crash',
      },
      {
        call: 'nudges.nudge',
        by: resume,
        what: 'the next generator run starts',
        ifDead: 'the watchdog nudge wakes it',
        only: 'when an operation ended meanwhile',
      },
    ],
  },
  serve: {
    handler: 'step-generator',
    when: 'a function is nudged for a stack without a holder, before it starts or resumes a deployment',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: ['functions/step-generator/serve-run.ts'],
        what: 'a delayed nudge has the stack checked again if this function dies before it has a lease',
        ifDead: 'the received nudge is delivered again',
        again: 1,
      },
    ],
  },
  lookThrough: {
    handler: 'compaction',
    when: 'a timer starts the check of all stacks',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: ['functions/compaction/reconcile-stacks.ts'],
        what: 'a stack with a deployment or a request is nudged, in case all its nudges were lost',
        ifDead: 'the next check of all stacks sends the nudge',
        again: 1,
      },
    ],
  },
  findHeld: {
    handler: 'step-generator',
    when: 'a function is nudged for a deployment whose holder may be alive',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: ['functions/step-generator/watchdog.ts', 'functions/step-generator/serve-stack.ts'],
        what: "a nudge records the holder's current state: a receiver that finds it unchanged takes over",
        ifDead: 'the received nudge is delivered again',
        again: 1,
      },
    ],
  },
  recordEvents: {
    handler: 'step-generator, step-executor',
    when: 'they report their progress',
    per: 'process',
    effects: [
      {
        call: 'events.append',
        by: ['shared/engine/events/recorder.ts'],
        what: 'event lines are stored in batches for remote and later readers',
        ifDead: 'events that were not yet stored are lost; nothing depends on them',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
