import type { EffectList } from './effect.ts'

const compaction = ['shared/runtime/compaction/fold-and-publish.ts']
const close = ['shared/engine/deployment/ownership/close.ts']
const takeOver = ['shared/engine/deployment/ownership/take-over.ts']
const recover = ['shared/engine/deployment/recovery/recover.ts']
const sweep = ['shared/engine/deployment/recovery/sweep.ts']
const leave = ['functions/step-generator/hand-over.ts']
const resume = ['functions/step-generator/resume-deployment.ts']

/** What the generator does between lives, for what lost its owner, and at the end. */
export const effectsOfGeneratorRuns = {
  stop: {
    handler: 'step-generator',
    when: 'a failure ends the deployment early',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append phase stopping',
        by: ['functions/step-generator/run-deployment.ts'],
        what: 'the log is still its own: who was deposed fails here and stops nobody',
        ifDead: 'a resume goes on until the failure is met again',
      },
      {
        call: 'control.stop',
        by: ['functions/step-generator/run-deployment.ts'],
        what: 'nothing more begins; what runs is awaited',
        ifDead: 'it is never taken back: whoever comes next only closes',
        again: 2,
      },
    ],
  },
  close: {
    handler: 'step-generator',
    when: 'a deployment ends, or somebody closes one that died',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append closing',
        by: [
          'functions/step-generator/run-deployment.ts',
          'functions/step-generator/start-deployment.ts',
          ...takeOver,
        ],
        what: 'nothing is decided after it',
        ifDead: 'whoever takes over only closes',
        only: 'unless a close that died had written it',
      },
      {
        call: 'control.stop',
        by: close,
        what: 'nothing begins after it; what runs is awaited',
        ifDead: 'as before',
      },
      {
        call: 'operations.select',
        by: ['shared/engine/deployment/recovery/settle-orphans.ts'],
        what: 'the end of what the dead had begun: the outcome that was left, else interrupted',
        ifDead: 'the next close ends the others',
        only: 'when there is such',
        again: 3,
      },
      {
        call: 'blobs.put',
        by: compaction,
        what: 'the fold; once more where the store refuses the next for a moment',
        ifDead: 'the next close folds to the same bytes',
        only: 'when a base was pinned',
        again: 4,
      },
      {
        call: 'catalog.publish',
        by: compaction,
        what: 'the snapshot pointer moves from the pinned version',
        ifDead: 'the next close finds it moved to its own fold',
        only: 'when a base was pinned',
      },
      {
        call: 'control.close',
        by: close,
        what: 'late messages are dropped',
        ifDead: 'the release is redone by whoever looks',
      },
      {
        call: 'catalog.release',
        by: close,
        what: 'the stack is free, the history has its line',
        ifDead: 'it is over',
      },
      {
        call: 'nudges.nudge',
        by: close,
        what: 'whoever waits for the stack looks at once',
        ifDead: 'it looks by itself',
      },
    ],
  },
  bury: {
    handler: 'step-generator',
    when: 'an executor is found to be gone: by a take-over, a sweep or a close',
    per: 'process',
    effects: [
      {
        call: 'leases.retire',
        by: ['shared/engine/deployment/ownership/liveness.ts'],
        what: 'its identity never comes back; what it left running on this host was ended before',
        ifDead: 'the next look finds it retired, and recovers what it had',
      },
    ],
  },
  takeOver: {
    handler: 'step-generator',
    when: 'a deployment that was left, or whose holder died, is resumed, woken or closed',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append takeover',
        by: takeOver,
        what: 'this life writes the log; what an earlier one appends is refused',
        ifDead: 'the next one takes over from it',
      },
      {
        call: 'control.create',
        by: takeOver,
        what: 'the control record, where its holder died before it had put one',
        ifDead: 'the next one takes over from it',
      },
      {
        call: 'control.hold',
        by: takeOver,
        what: 'the control record names it, and no hand-over any more',
        ifDead: 'the next one takes over from it',
      },
      {
        call: 'catalog.removeLate',
        by: takeOver,
        what: 'the inbox no longer has what the pin took',
        ifDead: 'nothing is lost',
        only: 'when it took something',
      },
    ],
  },
  withdrawn: {
    handler: 'step-generator',
    when: 'a life begins on what somebody asked for and took back as it was pinned',
    per: 'process',
    effects: [
      {
        call: 'control.stop',
        by: ['shared/engine/deployment/ownership/end-request.ts'],
        what: 'nothing of it begins',
        ifDead: 'it is never taken back, and said again by the next',
      },
    ],
  },
  sweep: {
    handler: 'step-generator',
    when: 'at every wake, every 30 s, and when an executor is found to be gone',
    per: 'process',
    effects: [
      {
        call: 'operations.select',
        by: recover,
        what: 'what the dead had begun ends with the outcome that was left, a create as interrupted',
        ifDead: 'the next sweep goes on with the others',
        only: 'when there is such',
        again: 1,
      },
      {
        call: 'operations.lapse',
        by: recover,
        what: 'what may be asked again has no owner any more',
        ifDead: 'the next sweep sends it',
        only: 'when there is such',
        again: 1,
      },
      {
        call: 'operations.arrive',
        by: sweep,
        what: 'an end is noted at what waits for it',
        ifDead: 'the next sweep notes the others',
        only: 'when it was not',
        again: 3,
      },
      {
        call: 'operations.select',
        by: sweep,
        what: 'a join at which all have arrived is ended',
        ifDead: 'the next sweep redoes its arrivals',
        only: 'when there is such',
        again: 3,
      },
      {
        call: 'chains.send',
        by: sweep,
        what: 'what is ready and has no owner',
        ifDead: 'executors run it; who has it twice finds it begun or ended',
        only: 'when there is such',
      },
    ],
  },
  leave: {
    handler: 'step-generator',
    when: 'its time is over, or it only waits; the decisions under way are durable by then',
    per: 'process',
    effects: [
      {
        call: 'control.handOver',
        by: leave,
        what: 'the deployment is left to the next life, after the program of this one was killed',
        ifDead: 'the holder is known to be dead: the deployment goes on as after any death',
      },
      {
        call: 'nudges.nudge',
        by: leave,
        what: 'the next life begins',
        ifDead: 'as before',
        only: 'unless an end is to wake it',
      },
    ],
  },
  parkOn: {
    handler: 'step-generator',
    when: 'who was parked is woken, has taken over and swept, and nothing has ended',
    per: 'process',
    effects: [
      {
        call: 'control.handOver',
        by: resume,
        what: 'it is left as it was before',
        ifDead: 'the holder is known to be dead: the deployment goes on as after any death',
      },
      {
        call: 'nudges.nudge',
        by: resume,
        what: 'the next life begins',
        ifDead: 'the dead-man nudge wakes it',
        only: 'when something ended meanwhile',
      },
    ],
  },
  serve: {
    handler: 'step-generator',
    when: 'a function is nudged for a stack that nobody works on: before it begins or goes on',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: ['functions/step-generator/serve-run.ts'],
        what: 'the stack is looked at again, should this function die before it has a lease',
        ifDead: 'the nudge that it was called with comes again',
        again: 1,
      },
    ],
  },
  lookThrough: {
    handler: 'compaction',
    when: 'the clock has all stacks looked through',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: ['functions/compaction/reconcile-stacks.ts'],
        what: 'a stack with a deployment or a request is looked at, should all its nudges be lost',
        ifDead: 'the next look through all stacks sends it',
        again: 1,
      },
    ],
  },
  findHeld: {
    handler: 'step-generator',
    when: 'a function is nudged for a deployment whose holder may live',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: ['functions/step-generator/watchdog.ts', 'functions/step-generator/serve-stack.ts'],
        what: 'a nudge that says how the holder stands now: who finds it so then takes over',
        ifDead: 'the nudge that it was called with comes again',
        again: 1,
      },
    ],
  },
  recordEvents: {
    handler: 'step-generator, step-executor',
    when: 'they tell what they do',
    per: 'process',
    effects: [
      {
        call: 'events.append',
        by: ['shared/engine/events/recorder.ts'],
        what: 'lines for people who look from elsewhere, or later: in batches',
        ifDead: 'what was not yet kept is told nowhere; nothing hangs on it',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
