import type { EffectList } from './effect.ts'

/** Effects of triggers, and of fetching their programs. */
export const effectsOfTriggers = {
  ask: {
    handler: 'api, webhook, schedule, step-generator',
    when: 'a user, a delivery, a schedule or detected drift requests an operation',
    per: 'process',
    effects: [
      {
        call: 'nudges.nudge',
        by: [
          'functions/api/routes/deployments.ts',
          'functions/api/routes/requests.ts',
          'local/serve-home.ts',
          'functions/webhook/answer-webhook.ts',
          'functions/schedule/run-due-schedule.ts',
          'functions/step-generator/notify-result.ts',
        ],
        what: 'the stack is nudged; its request was stored before, under a key that stays the same on repetition',
        ifDead: 'the trigger is not marked as done yet, and repeats the same request',
        again: 1,
      },
    ],
  },
  fetch: {
    handler: 'step-generator',
    when: 'a request needs a program from a repository, before it begins',
    per: 'process',
    effects: [
      {
        call: 'blobs.put',
        by: ['shared/runtime/programs/repository-program.ts'],
        what: 'an archive with the files at the commit and their packages is stored',
        ifDead: 'the request stays queued, and the next generator creates the archive again',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
