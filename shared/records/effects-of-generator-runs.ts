import type { EffectList } from './effect.ts'

const takeOverFiles = ['shared/engine/deployment/ownership/take-over.ts']
const recoverFiles = ['shared/engine/deployment/recovery/recover.ts']
const sweepFiles = ['shared/engine/deployment/recovery/sweep.ts']
const handOverFiles = ['functions/step-generator/hand-over-deployment.ts']
const resumeFiles = ['functions/step-generator/resume-deployment.ts']

/** Effects of the generator between runs, and on operations without a living owner. */
export const effectsOfGeneratorRuns = {
  retireDeadExecutor: {
    handler: 'step-generator',
    situation: 'a take-over, sweep or close finds a dead executor',
    orderedPer: 'process',
    effects: [
      {
        call: 'leases.retire',
        sourceFiles: ['shared/engine/deployment/ownership/liveness.ts'],
        description:
          'the identity of the executor is retired for good; its remaining processes on this host were ended before',
        afterCrash: 'the next check finds the identity retired, and recovers its operations',
      },
    ],
  },
  takeOver: {
    handler: 'step-generator',
    situation:
      'a deployment that was handed over, or whose holder died, is resumed, woken or closed',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append takeover',
        sourceFiles: takeOverFiles,
        description: 'this generator run writes the log; records of an earlier one are refused',
        afterCrash: 'the next generator takes over from this one',
      },
      {
        call: 'control.create',
        sourceFiles: takeOverFiles,
        description: 'the control record is created if the dead holder had not created it',
        afterCrash: 'the next generator takes over from this one',
      },
      {
        call: 'control.hold',
        sourceFiles: takeOverFiles,
        description: 'the control record names the new holder, and the hand-over is cleared',
        afterCrash: 'the next generator takes over from this one',
      },
      {
        call: 'catalog.removeLateOutcomes',
        sourceFiles: takeOverFiles,
        description: 'the late outcomes that the pin took are removed from the inbox',
        afterCrash: 'nothing is lost',
        condition: 'when the pin took late outcomes',
      },
    ],
  },
  stopWithdrawn: {
    handler: 'step-generator',
    situation:
      'a generator run pins or takes over a deployment whose request was already withdrawn',
    orderedPer: 'process',
    effects: [
      {
        call: 'control.stop',
        sourceFiles: ['shared/engine/deployment/ownership/end-started-request.ts'],
        description: 'later begins of the deployment are given back',
        afterCrash: 'the flag is never cleared, and the next generator raises it again',
      },
    ],
  },
  sweepOperations: {
    handler: 'step-generator',
    situation: 'a generator wakes, its last sweep was 30 s ago, or an executor was found dead',
    orderedPer: 'process',
    effects: [
      {
        call: 'operations.select',
        sourceFiles: recoverFiles,
        description:
          'operations of dead executors end with their stored outcome; a create without one ends as interrupted',
        afterCrash: 'the next sweep handles the others',
        condition: 'when a dead executor left operations',
        loopsBackTo: 1,
      },
      {
        call: 'operations.lapse',
        sourceFiles: recoverFiles,
        description: 'the owner of a repeatable operation is cleared',
        afterCrash: 'the next sweep sends it',
        condition: 'when a dead executor left operations',
        loopsBackTo: 1,
      },
      {
        call: 'operations.arrive',
        sourceFiles: sweepFiles,
        description: 'an end is recorded as arrival at the operations that wait for it',
        afterCrash: 'the next sweep records the others',
        condition: 'when an arrival was missing',
        loopsBackTo: 3,
      },
      {
        call: 'operations.select',
        sourceFiles: sweepFiles,
        description: 'a join with all its arrivals is ended',
        afterCrash: 'the next sweep repeats its arrivals',
        condition: 'when a join became complete',
        loopsBackTo: 3,
      },
      {
        call: 'chains.send',
        sourceFiles: sweepFiles,
        description: 'ready operations without an owner are sent',
        afterCrash:
          'executors run them; an executor that receives one twice finds it begun or ended',
        condition: 'when an operation is ready',
      },
    ],
  },
  handOver: {
    handler: 'step-generator',
    situation:
      'the time limit of a generator run is near, or the run only waits; its decisions are durable',
    orderedPer: 'process',
    effects: [
      {
        call: 'control.handOver',
        sourceFiles: handOverFiles,
        description:
          "the deployment is handed over to the next generator run, after this run's program was killed",
        afterCrash: 'the holder counts as dead: the deployment continues as after a crash',
      },
      {
        call: 'nudges.nudge',
        sourceFiles: handOverFiles,
        description: 'the next generator run starts',
        afterCrash: 'as after the previous effect',
        condition: 'unless an end will wake it',
      },
    ],
  },
  parkAgain: {
    handler: 'step-generator',
    situation: 'a parked generator is woken, has taken over and swept, and finds no new end',
    orderedPer: 'process',
    effects: [
      {
        call: 'control.handOver',
        sourceFiles: resumeFiles,
        description: 'the deployment is parked again as before',
        afterCrash: 'the holder counts as dead: the deployment continues as after a crash',
      },
      {
        call: 'nudges.nudge',
        sourceFiles: resumeFiles,
        description: 'the next generator run starts',
        afterCrash: 'the watchdog nudge wakes it',
        condition: 'when an operation ended meanwhile',
      },
    ],
  },
  scheduleCheck: {
    handler: 'step-generator',
    situation:
      'a function is nudged for a stack without a holder, before it starts or resumes a deployment',
    orderedPer: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        sourceFiles: ['functions/step-generator/serve-run.ts'],
        description:
          'a delayed nudge makes another function check the stack if this one dies before it has a lease',
        afterCrash: 'the received nudge is delivered again',
        loopsBackTo: 1,
      },
    ],
  },
  nudgeAllStacks: {
    handler: 'compaction',
    situation: 'a timer starts the check of all stacks',
    orderedPer: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        sourceFiles: ['functions/compaction/reconcile-stacks.ts'],
        description:
          'a stack with a deployment or a request is nudged, in case all its nudges were lost',
        afterCrash: 'the next check of all stacks sends the nudge',
        loopsBackTo: 1,
      },
    ],
  },
  watchHolder: {
    handler: 'step-generator',
    situation: 'a function is nudged for a deployment whose holder may be alive',
    orderedPer: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        sourceFiles: [
          'functions/step-generator/watchdog.ts',
          'functions/step-generator/serve-stack.ts',
        ],
        description:
          'a delayed nudge repeats the check of a planned removal, or of the holder. The receiver of the nudge takes over if the lease counter is unchanged',
        afterCrash: 'the received nudge is delivered again',
        loopsBackTo: 1,
      },
    ],
  },
  leaveToNextRun: {
    handler: 'step-generator',
    situation: 'a function has too little time for the next request or the preview of its stack',
    orderedPer: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        sourceFiles: [
          'functions/step-generator/begin-next-request.ts',
          'functions/step-generator/serve-preview.ts',
        ],
        description:
          'the stack is nudged: another function takes the waiting request, or runs the preview from its beginning',
        afterCrash: 'the received nudge is delivered again',
        loopsBackTo: 1,
      },
    ],
  },
  recordEvents: {
    handler: 'step-generator, step-executor',
    situation: 'a handler reports its progress',
    orderedPer: 'process',
    effects: [
      {
        call: 'events.append',
        sourceFiles: ['shared/engine/events/event-recorder.ts'],
        description: 'event lines are stored in batches for remote and later readers',
        afterCrash: 'events that were not yet stored are lost; nothing depends on them',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
