import type { EffectList } from './effect.ts'

const compaction = ['shared/runtime/compaction/fold-and-publish.ts']
const retention = ['shared/engine/deployment/retention/remove-old-records.ts']
const blobs = ['shared/engine/deployment/retention/sweep-blobs.ts']
const edit = ['local/edit-state.ts']

/** What compaction, removal, and commands that decide nothing do. */
export const effectsOfKeeping = {
  compact: {
    handler: 'compaction',
    when: 'a close has settled its deployment',
    per: 'process',
    effects: [
      {
        call: 'blobs.put',
        by: compaction,
        what: 'the fold of base and records; once more where the store refuses the next',
        ifDead: 'it belongs to nobody; the next compaction folds to the same bytes',
        again: 1,
      },
      {
        call: 'catalog.publish',
        by: compaction,
        what: 'the snapshot pointer moves from the pinned version',
        ifDead: 'the next compaction finds it moved to its own fold',
      },
    ],
  },
  removeOld: {
    handler: 'compaction',
    when: 'records and versions have been kept long enough',
    per: 'process',
    effects: [
      {
        call: 'catalog.putLate',
        by: ['shared/engine/deployment/retention/late-creates.ts'],
        what: 'what a create made that nobody heard of, into the inbox',
        ifDead: 'the next removal puts it once more, which changes nothing',
        only: 'when there is such',
        again: 1,
      },
      {
        call: 'retention.removeRecords',
        by: retention,
        what: 'a part of the records of one deployment, its control record last',
        ifDead: 'the next removal goes on with the rest',
        only: 'when a deployment is old',
        again: 1,
      },
      {
        call: 'retention.removeVersions',
        by: retention,
        what: 'published versions of one stack beyond those that are kept',
        ifDead: 'the next removal goes on with other stacks',
        only: 'when there are more',
        again: 3,
      },
    ],
  },
  sweepBlobs: {
    handler: 'compaction',
    when: 'blobs are there that no record names, after every name was read',
    per: 'process',
    effects: [
      {
        call: 'blobSweep.removeUnfinished',
        by: blobs,
        what: 'what writers left that died before their blob was whole',
        ifDead: 'the next sweep removes the others',
      },
      {
        call: 'blobSweep.putBack',
        by: blobs,
        what: 'a blob that is named again',
        ifDead: 'the next sweep goes on with the others',
        only: 'when it was set aside',
        again: 2,
      },
      {
        call: 'blobSweep.setAside',
        by: blobs,
        what: 'a blob that nothing names: it is still found',
        ifDead: 'as before',
        only: 'when it has been there for a day',
        again: 2,
      },
      {
        call: 'blobSweep.remove',
        by: blobs,
        what: 'a blob that nothing names',
        ifDead: 'as before',
        only: 'when it was set aside a day ago',
        again: 2,
      },
    ],
  },
  cancel: {
    handler: 'cancel',
    when: 'a person stops a deployment, from its terminal or from another one',
    per: 'process',
    effects: [
      {
        call: 'control.stop',
        by: [
          'local/cancel.ts',
          'local/run-local-deployment.ts',
          'functions/api/routes/deployments.ts',
        ],
        what: 'nothing more begins: whoever runs something sees it within a second',
        ifDead: 'it is never taken back: whoever holds the deployment closes it',
        again: 1,
      },
    ],
  },
  abandon: {
    handler: 'cancel --force of damaged records',
    when: 'a deployment cannot be closed, because records of it cannot be read',
    per: 'process',
    effects: [
      {
        call: 'control.stop',
        by: ['local/abandon-deployment.ts'],
        what: 'nothing more of it begins',
        ifDead: 'the stack is held still; the same command goes on',
      },
      {
        call: 'control.close',
        by: ['local/abandon-deployment.ts'],
        what: 'late messages are dropped',
        ifDead: 'as before',
      },
      {
        call: 'catalog.release',
        by: ['local/abandon-deployment.ts'],
        what: 'the stack is free, as it was last published; the records stay',
        ifDead: 'it is over',
      },
    ],
  },
  redrive: {
    handler: 'redrive',
    when: 'a person has what was given up tried again',
    per: 'process',
    effects: [
      {
        call: 'chains.redrive',
        by: ['shared/engine/deployment/recovery/redrive.ts'],
        what: 'dead letters become messages again',
        ifDead: 'executors run them; who has ended is not run again',
      },
    ],
  },
  edit: {
    handler: 'commands of state that change it, stack import',
    when: 'a state is edited by hand',
    per: 'process',
    effects: [
      {
        call: 'catalog.start',
        by: edit,
        what: 'the edit is a deployment of its own: it excludes every other',
        ifDead: 'the stack is taken; whoever finds no control record for 3 s closes it',
        again: 1,
      },
      {
        call: 'control.create',
        by: edit,
        what: 'the control record, which names the holder',
        ifDead: 'the holder is known to be dead: the next command closes it, nothing was changed',
      },
      {
        call: 'blobs.put',
        by: edit,
        what: 'the edited state',
        ifDead: 'as before',
        only: 'when it keeps the rules of a state',
      },
      {
        call: 'catalog.publish',
        by: edit,
        what: 'the snapshot pointer moves from the version that was edited',
        ifDead: 'the edit is done; the next command closes it',
        only: 'when it keeps the rules of a state',
      },
      {
        call: 'control.close',
        by: edit,
        what: 'the edit is over',
        ifDead: 'the release is redone by whoever looks',
      },
      {
        call: 'catalog.release',
        by: edit,
        what: 'the stack is free, the history has its line',
        ifDead: 'it is over',
      },
    ],
  },
  makeStack: {
    handler: 'stack init',
    when: 'a stack is made',
    per: 'process',
    effects: [
      {
        call: 'catalog.createStack',
        by: ['cli/stack/create-stack.ts', 'functions/api/routes/stacks.ts'],
        what: 'the stack, if there is none of its name',
        ifDead: 'it is there',
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
        what: 'the stack with its history, if nothing of it runs or was left',
        ifDead: 'its records and blobs go with the next removal; its configuration file stays',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
