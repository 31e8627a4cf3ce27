import type { EffectList } from './effect.ts'

/** Effects of requests from users and triggers, and of the archives that requests name. */
export const effectsOfTriggers = {
  requestOperation: {
    handler: 'api, webhook, schedule, step-generator',
    situation: 'a user, a delivery, a schedule or detected drift requests an operation',
    orderedPer: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        sourceFiles: [
          'functions/api/routes/deployments.ts',
          'shared/api/request-deployment.ts',
          'functions/api/routes/edits.ts',
          'local/serve-home.ts',
          'functions/webhook/answer-webhook.ts',
          'functions/schedule/run-due-schedule.ts',
          'functions/schedule/run-shared-schedule.ts',
          'functions/step-generator/send-notifications.ts',
        ],
        description:
          'the stack is nudged; its request was stored before, under a key that stays the same on repetition',
        afterCrash: 'the trigger is not marked as done yet, and repeats the same request',
        loopsBackTo: 1,
      },
    ],
  },
  storeApproval: {
    handler: 'step-generator',
    situation: 'a request that needs an approval was previewed',
    orderedPer: 'process',
    effects: [
      {
        call: 'blobs.put',
        sourceFiles: ['functions/step-generator/store-approval.ts'],
        description:
          'the plan of the preview is stored; then the approval that names it, and the end of the request',
        afterCrash: 'the request still waits: its preview runs again, and replaces the plan',
      },
    ],
  },
  storeArchive: {
    handler: 'api, step-generator',
    situation:
      "a client uploads an archive, or a request needs a repository's program, an edited state, or a renamed stack's program",
    orderedPer: 'process',
    effects: [
      {
        call: 'archives.put',
        sourceFiles: [
          'functions/api/archive-uploads.ts',
          'shared/runtime/programs/repository-program.ts',
          'shared/runtime/programs/uploaded-program.ts',
          'functions/step-generator/edit-state.ts',
          'functions/step-generator/rename-stack.ts',
        ],
        description:
          'an archive is stored: uploaded bytes, a program with its packages, a state, or the program for the new name',
        afterCrash:
          'no record names the archive: the sweep removes it, and a repetition of the request stores it again',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
