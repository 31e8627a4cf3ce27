import type { EffectList } from './effect.ts'

/** What asks for deployments by itself, and where their programs come from. */
export const effectsOfTriggers = {
  ask: {
    handler: 'api, webhook, schedule, step-generator',
    when: 'a person, a delivery, a schedule or drift that was found asks for something',
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
        what: 'the stack is looked at; its request was put before, under a key that a repetition has too',
        ifDead: 'what asked is not marked as done yet, and asks for the same once more',
        again: 1,
      },
    ],
  },
  fetch: {
    handler: 'step-generator',
    when: 'a request is for a program of a repository: before it begins',
    per: 'process',
    effects: [
      {
        call: 'blobs.put',
        by: ['shared/runtime/programs/repository-program.ts'],
        what: 'the files at the commit with their packages, as an archive',
        ifDead: 'the request waits, and whoever opens it next makes the archive again',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
