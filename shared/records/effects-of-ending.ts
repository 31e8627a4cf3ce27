import type { EffectList } from './effect.ts'

const compactionFiles = ['shared/runtime/compaction/fold-and-publish.ts']
const closeFiles = ['shared/engine/deployment/ownership/finish-close.ts']

/** Effects of the generator at the end of a deployment. */
export const effectsOfEnding = {
  stopEarly: {
    handler: 'step-generator',
    situation: 'a failure ends the deployment early',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append phase stopping',
        sourceFiles: ['functions/step-generator/run-deployment.ts'],
        description:
          'the record proves that this generator still owns the log: a deposed one fails here and stops nothing',
        afterCrash: 'a resume continues until it hits the failure again',
      },
      {
        call: 'control.stop',
        sourceFiles: ['functions/step-generator/run-deployment.ts'],
        description: 'later begins are given back; the generator waits for the running operations',
        afterCrash: 'the flag is never cleared: the next generator only closes the deployment',
        loopsBackTo: 2,
      },
    ],
  },
  close: {
    handler: 'step-generator',
    situation: 'a deployment ends, or another process closes a dead one',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append closing',
        sourceFiles: [
          'functions/step-generator/run-deployment.ts',
          'functions/step-generator/start-deployment.ts',
          'shared/engine/deployment/ownership/take-over.ts',
        ],
        description: 'no decision follows this record',
        afterCrash: 'a generator that takes over only closes the deployment',
        condition: 'unless an interrupted close already wrote it',
      },
      {
        call: 'control.stop',
        sourceFiles: closeFiles,
        description: 'later begins are given back; the close waits for the running operations',
        afterCrash: 'as after the previous effect',
      },
      {
        call: 'operations.select',
        sourceFiles: ['shared/engine/deployment/recovery/end-abandoned-operations.ts'],
        description:
          'operations of dead executors end: with their outcome if one was stored, otherwise as interrupted',
        afterCrash: 'the next close ends the other operations',
        condition: 'when a dead executor left operations',
        loopsBackTo: 3,
      },
      {
        call: 'blobs.put',
        sourceFiles: compactionFiles,
        description: 'the fold is stored; again if the store rejects the next effect temporarily',
        afterCrash: 'the next close folds to the same bytes',
        condition: 'when a base was pinned and the state changed',
        loopsBackTo: 4,
      },
      {
        call: 'catalog.publish',
        sourceFiles: compactionFiles,
        description: 'the snapshot pointer moves on from the pinned version',
        afterCrash: 'the next close finds the pointer at its own fold',
        condition: 'when a base was pinned',
      },
      {
        call: 'control.close',
        sourceFiles: closeFiles,
        description: 'late messages are dropped from now on',
        afterCrash: 'the next process that checks the stack repeats the release',
      },
      {
        call: 'catalog.release',
        sourceFiles: closeFiles,
        description: 'the stack is free, and the history entry is complete',
        afterCrash: 'the deployment is over',
      },
      {
        call: 'nudges.nudge',
        sourceFiles: closeFiles,
        description: 'processes that wait for the stack check it immediately',
        afterCrash: 'they find out by polling',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
