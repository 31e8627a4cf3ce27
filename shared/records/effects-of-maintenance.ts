import type { EffectList } from './effect.ts'

const compactionFiles = ['shared/runtime/compaction/fold-and-publish.ts']
const retentionFiles = ['shared/engine/deployment/retention/remove-old-records.ts']
const sweepBlobsFiles = ['shared/engine/deployment/retention/sweep-blobs.ts']
const editStateFiles = ['functions/step-generator/publish-edit.ts']

/** Effects of compaction, removal, and commands that make no decisions. */
export const effectsOfMaintenance = {
  compact: {
    handler: 'compaction',
    situation: 'a close has ended the operations of its deployment',
    orderedPer: 'process',
    effects: [
      {
        call: 'blobs.put',
        sourceFiles: compactionFiles,
        description:
          'the fold of base and records is stored; again if the store rejects the next effect temporarily',
        afterCrash: 'the blob is unreferenced; the next compaction folds to the same bytes',
        condition: 'when the state changed',
        loopsBackTo: 1,
      },
      {
        call: 'catalog.publish',
        sourceFiles: compactionFiles,
        description: 'the snapshot pointer moves on from the pinned version',
        afterCrash: 'the next compaction finds the pointer at its own fold',
      },
    ],
  },
  removeOldRecords: {
    handler: 'compaction',
    situation: 'the retention time of records and versions is over',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.putLateOutcome',
        sourceFiles: ['shared/engine/deployment/retention/late-creates.ts'],
        description: 'created resources whose outcome was not selected are added to the inbox',
        afterCrash: 'the next removal repeats the put, which has no effect',
        condition: 'when such creates exist',
        loopsBackTo: 1,
      },
      {
        call: 'retention.removeRecords',
        sourceFiles: retentionFiles,
        description: "a part of a deployment's records is removed, the control record last",
        afterCrash: 'the next removal continues with the rest',
        condition: 'when a deployment is old enough',
        loopsBackTo: 1,
      },
      {
        call: 'retention.removeVersions',
        sourceFiles: retentionFiles,
        description: 'published versions of a stack beyond the retained ones are removed',
        afterCrash: 'the next removal continues with other stacks',
        condition: 'when a stack has more versions',
        loopsBackTo: 3,
      },
    ],
  },
  sweepBlobs: {
    handler: 'compaction',
    situation: 'blobs without a reference exist, after all references were read',
    orderedPer: 'process',
    effects: [
      {
        call: 'blobSweep.removeUnfinished',
        sourceFiles: sweepBlobsFiles,
        description: 'incomplete blobs of writers that died are removed',
        afterCrash: 'the next sweep removes the others',
      },
      {
        call: 'blobSweep.putBack',
        sourceFiles: sweepBlobsFiles,
        description: 'a blob that is referenced again is put back',
        afterCrash: 'the next sweep handles the others',
        condition: 'when it was set aside',
        loopsBackTo: 2,
      },
      {
        call: 'blobSweep.setAside',
        sourceFiles: sweepBlobsFiles,
        description: 'an unreferenced blob is set aside; it can still be read',
        afterCrash: 'as after the previous effect',
        condition: 'when it is at least a day old',
        loopsBackTo: 2,
      },
      {
        call: 'blobSweep.remove',
        sourceFiles: sweepBlobsFiles,
        description: 'an unreferenced blob is removed',
        afterCrash: 'as after the previous effect',
        condition: 'when it was set aside a day ago',
        loopsBackTo: 2,
      },
    ],
  },
  cancel: {
    handler: 'cancel',
    situation: 'a user stops a deployment, from its own or another terminal',
    orderedPer: 'process',
    effects: [
      {
        call: 'control.stop',
        sourceFiles: [
          'local/cancel-deployment.ts',
          'local/run-local-deployment.ts',
          'functions/api/routes/deployments.ts',
        ],
        description: 'later begins are given back: running executors see the flag within a second',
        afterCrash: 'the flag is never cleared: the holder closes the deployment',
        loopsBackTo: 1,
      },
    ],
  },
  abandon: {
    handler: 'cancel --force with damaged records',
    situation: 'a deployment cannot be closed, because its records are unreadable',
    orderedPer: 'process',
    effects: [
      {
        call: 'control.stop',
        sourceFiles: ['functions/step-generator/abandon-deployment.ts'],
        description: 'later begins of the deployment are given back',
        afterCrash: 'the stack stays busy; the same command can be repeated',
      },
      {
        call: 'control.close',
        sourceFiles: ['functions/step-generator/abandon-deployment.ts'],
        description: 'late messages are dropped from now on',
        afterCrash: 'as after the previous effect',
      },
      {
        call: 'catalog.release',
        sourceFiles: ['functions/step-generator/abandon-deployment.ts'],
        description: 'the stack is free, in its last published state; the records stay',
        afterCrash: 'the deployment is over',
      },
    ],
  },
  redriveDeadLetters: {
    handler: 'redrive',
    situation: 'a user retries operations whose messages became dead letters',
    orderedPer: 'process',
    effects: [
      {
        call: 'chains.redrive',
        sourceFiles: ['shared/engine/deployment/recovery/redrive.ts'],
        description: 'dead letters become messages again',
        afterCrash: 'executors run them; operations that have ended do not run again',
      },
    ],
  },
  editState: {
    handler: 'state edit commands, stack import',
    situation: 'a user edits a state',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.start',
        sourceFiles: editStateFiles,
        description: 'the edit becomes its own deployment, which excludes all others',
        afterCrash:
          'the stack is busy; a process that finds no control record for 3 s closes the deployment',
        loopsBackTo: 1,
      },
      {
        call: 'control.create',
        sourceFiles: editStateFiles,
        description: 'the control record is created and names the holder',
        afterCrash:
          'the holder counts as dead: the next command closes the edit, and nothing was changed',
      },
      {
        call: 'blobs.put',
        sourceFiles: editStateFiles,
        description: 'the edited state is stored',
        afterCrash: 'as after the previous effect',
        condition: 'when the edited state is valid',
      },
      {
        call: 'catalog.publish',
        sourceFiles: editStateFiles,
        description: 'the snapshot pointer moves on from the edited version',
        afterCrash: 'the edit is published; the next command closes it',
        condition: 'when the edited state is valid',
      },
      {
        call: 'control.close',
        sourceFiles: editStateFiles,
        description: 'the edit is closed',
        afterCrash: 'the next process that checks the stack repeats the release',
      },
      {
        call: 'catalog.release',
        sourceFiles: editStateFiles,
        description: 'the stack is free, and the history entry is complete',
        afterCrash: 'the edit is over',
      },
    ],
  },
  createStack: {
    handler: 'stack init',
    situation: 'a stack is created',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.createStack',
        sourceFiles: [
          'cli/backends/import-source.ts',
          'cli/exports/import-stack.ts',
          'cli/stack/create-stack.ts',
          'functions/api/routes/stacks.ts',
        ],
        description: 'the stack is created, if its name is free',
        afterCrash: 'the stack exists',
      },
    ],
  },
  removeStack: {
    handler: 'stack rm, api, step-generator',
    situation: 'a stack is removed',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.removeStack',
        sourceFiles: ['cli/stack/remove-stack.ts', 'shared/runtime/state/remove-idle-stack.ts'],
        description:
          'the stack is removed with its history, if no deployment of it is running or interrupted',
        afterCrash: 'the next removal deletes its records and blobs; its configuration file stays',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
