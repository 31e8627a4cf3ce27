import type { EffectList } from './effect.ts'

/** Effects of triggers, and of fetching their programs. */
export const effectsOfTriggers = {
  ask: {
    handler: 'api, webhook, schedule, step-generator',
    situation: 'a user, a delivery, a schedule or detected drift requests an operation',
    scope: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        sourceFiles: [
          'functions/api/routes/deployments.ts',
          'functions/api/routes/requests.ts',
          'local/serve-home.ts',
          'functions/webhook/answer-webhook.ts',
          'functions/schedule/run-due-schedule.ts',
          'functions/step-generator/notify-result.ts',
        ],
        description:
          'the stack is nudged; its request was stored before, under a key that stays the same on repetition',
        afterCrash: 'the trigger is not marked as done yet, and repeats the same request',
        repeatsFrom: 1,
      },
    ],
  },
  fetch: {
    handler: 'step-generator',
    situation: 'a request needs a program from a repository, before it begins',
    scope: 'process',
    effects: [
      {
        call: 'archives.put',
        sourceFiles: ['shared/runtime/programs/repository-program.ts'],
        description: 'an archive with the files at the commit and their packages is stored',
        afterCrash: 'the request stays queued, and the next generator creates the archive again',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
