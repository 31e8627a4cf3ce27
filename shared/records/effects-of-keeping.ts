import type { EffectList } from './effect.ts'

const compaction = ['shared/runtime/compaction/fold-and-publish.ts']
const retention = ['shared/engine/deployment/retention/remove-old-records.ts']
const blobs = ['shared/engine/deployment/retention/sweep-blobs.ts']
const edit = ['local/edit-state.ts']

/** Effects of compaction, removal, and commands that make no decisions. */
export const effectsOfKeeping = {
  compact: {
    handler: 'compaction',
    when: 'a close has settled its deployment',
    per: 'process',
    effects: [
      {
        call: 'blobs.put',
        by: compaction,
        what: 'the fold of base and records is stored; again if the store rejects the next effect temporarily',
        ifDead: 'the blob is unreferenced; the next compaction folds to the same bytes',
        again: 1,
      },
      {
        call: 'catalog.publish',
        by: compaction,
        what: 'the snapshot pointer moves on from the pinned version',
        ifDead: 'the next compaction finds the pointer at its own fold',
      },
    ],
  },
  removeOld: {
    handler: 'compaction',
    when: 'the retention time of records and versions is over',
    per: 'process',
    effects: [
      {
        call: 'catalog.putLate',
        by: ['shared/engine/deployment/retention/late-creates.ts'],
        what: 'resources of unrecorded successful creates are added to the inbox',
        ifDead: 'the next removal repeats the put, which has no effect',
        only: 'when such creates exist',
        again: 1,
      },
      {
        call: 'retention.removeRecords',
        by: retention,
        what: "a part of a deployment's records is removed, the control record last",
        ifDead: 'the next removal continues with the rest',
        only: 'when a deployment is old enough',
        again: 1,
      },
      {
        call: 'retention.removeVersions',
        by: retention,
        what: 'published versions of a stack beyond the retained ones are removed',
        ifDead: 'the next removal continues with other stacks',
        only: 'when a stack has more versions',
        again: 3,
      },
    ],
  },
  sweepBlobs: {
    handler: 'compaction',
    when: 'blobs without a reference exist, after all references were read',
    per: 'process',
    effects: [
      {
        call: 'blobSweep.removeUnfinished',
        by: blobs,
        what: 'incomplete blobs of writers that died are removed',
        ifDead: 'the next sweep removes the others',
      },
      {
        call: 'blobSweep.putBack',
        by: blobs,
        what: 'a blob that is referenced again is put back',
        ifDead: 'the next sweep handles the others',
        only: 'when it was set aside',
        again: 2,
      },
      {
        call: 'blobSweep.setAside',
        by: blobs,
        what: 'an unreferenced blob is set aside; it can still be read',
        ifDead: 'as before',
        only: 'when it is at least a day old',
        again: 2,
      },
      {
        call: 'blobSweep.remove',
        by: blobs,
        what: 'an unreferenced blob is removed',
        ifDead: 'as before',
        only: 'when it was set aside a day ago',
        again: 2,
      },
    ],
  },
  cancel: {
    handler: 'cancel',
    when: 'a user stops a deployment, from its own or another terminal',
    per: 'process',
    effects: [
      {
        call: 'control.stop',
        by: [
          'local/cancel.ts',
          'local/run-local-deployment.ts',
          'functions/api/routes/deployments.ts',
        ],
        what: 'no further operation begins: running executors see the flag within a second',
        ifDead: 'the flag is never cleared: the holder closes the deployment',
        again: 1,
      },
    ],
  },
  abandon: {
    handler: 'cancel --force with damaged records',
    when: 'a deployment cannot be closed, because its records are unreadable',
    per: 'process',
    effects: [
      {
        call: 'control.stop',
        by: ['local/abandon-deployment.ts'],
        what: 'no further operation of the deployment begins',
        ifDead: 'the stack stays busy; the same command can be repeated',
      },
      {
        call: 'control.close',
        by: ['local/abandon-deployment.ts'],
        what: 'late messages are dropped from now on',
        ifDead: 'as before',
      },
      {
        call: 'catalog.release',
        by: ['local/abandon-deployment.ts'],
        what: 'the stack is free, in its last published state; the records stay',
        ifDead: 'the deployment is over',
      },
    ],
  },
  redrive: {
    handler: 'redrive',
    when: 'a user retries operations that were given up',
    per: 'process',
    effects: [
      {
        call: 'chains.redrive',
        by: ['shared/engine/deployment/recovery/redrive.ts'],
        what: 'dead letters become messages again',
        ifDead: 'executors run them; operations that have ended do not run again',
      },
    ],
  },
  edit: {
    handler: 'state edit commands, stack import',
    when: 'a user edits a state',
    per: 'process',
    effects: [
      {
        call: 'catalog.start',
        by: edit,
        what: 'the edit becomes its own deployment, which excludes all others',
        ifDead:
          'the stack is busy; a process that finds no control record for 3 s closes the deployment',
        again: 1,
      },
      {
        call: 'control.create',
        by: edit,
        what: 'the control record is created and names the holder',
        ifDead:
          'the holder is known to be dead: the next command closes the edit, and nothing was changed',
      },
      {
        call: 'blobs.put',
        by: edit,
        what: 'the edited state is stored',
        ifDead: 'as before',
        only: 'when the edited state is valid',
      },
      {
        call: 'catalog.publish',
        by: edit,
        what: 'the snapshot pointer moves on from the edited version',
        ifDead: 'the edit is published; the next command closes it',
        only: 'when the edited state is valid',
      },
      {
        call: 'control.close',
        by: edit,
        what: 'the edit is closed',
        ifDead: 'the next process that checks the stack repeats the release',
      },
      {
        call: 'catalog.release',
        by: edit,
        what: 'the stack is free, and the history entry is complete',
        ifDead: 'the edit is over',
      },
    ],
  },
  makeStack: {
    handler: 'stack init',
    when: 'a stack is created',
    per: 'process',
    effects: [
      {
        call: 'catalog.createStack',
        by: ['cli/stack/create-stack.ts', 'functions/api/routes/stacks.ts'],
        what: 'the stack is created, if its name is free',
        ifDead: 'the stack exists',
      },
    ],
  },
  removeStack: {
    handler: 'stack rm',
    when: 'a stack is removed',
    per: 'process',
    effects: [
      {
        call: 'catalog.removeStack',
        by: ['cli/stack/remove-stack.ts', 'functions/api/routes/stacks.ts'],
        what: 'the stack is removed with its history, if no deployment of it is running or interrupted',
        ifDead: 'the next removal deletes its records and blobs; its configuration file stays',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
