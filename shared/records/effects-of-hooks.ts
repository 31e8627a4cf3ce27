import type { EffectList } from './effect.ts'

const drive = ['shared/engine/deployment/dispatch/run-hooked-call.ts']
const release = ['shared/engine/executor/release-waiters.ts']
const releaser = ['shared/engine/executor/generator-releaser.ts']

/** Effects of the generator around hooks of the program, which only the generator can call. */
export const effectsOfHooks = {
  hook: {
    handler: 'step-generator',
    when: 'hooks around a provider call have run or are skipped',
    per: 'own',
    effects: [
      {
        call: 'decisionLog.append hooked',
        by: drive,
        what: 'the result of the hooks is recorded, so they do not run again',
        ifDead: 'a resume ends the hook as recorded',
        only: 'unless an earlier generator run recorded it',
      },
      {
        call: 'operations.select',
        by: drive,
        what: "the hook's operation ends on its head, for sweeps",
        ifDead: 'the sweep repeats the arrivals',
      },
      {
        call: 'operations.arrive',
        by: release,
        what: 'the arrival is recorded at each operation that waits for this one',
        ifDead: 'as before',
        only: 'when an operation waits',
        again: 3,
      },
    ],
  },
  joinAfterHook: {
    handler: 'step-generator',
    when: 'a hook was the last arrival of a join',
    per: 'own',
    effects: [
      {
        call: 'operations.select',
        by: release,
        what: 'the join ends',
        ifDead: 'the sweep ends it',
      },
      {
        call: 'operations.arrive',
        by: release,
        what: 'the arrival is recorded at each operation that waits for this one',
        ifDead: 'the sweep repeats the other arrivals and sends ready operations',
        again: 2,
      },
    ],
  },
  sendAfterHook: {
    handler: 'step-generator',
    when: 'the end of a hook makes an operation ready',
    per: 'chain',
    effects: [
      {
        call: 'chains.send',
        by: releaser,
        what: 'the call after its hook, or an operation that waited for the hook after a call, is sent',
        ifDead: 'the sweep sends it',
      },
    ],
  },
  hookOfSettled: {
    handler: 'step-generator',
    when: 'hooks of a component or provider have run',
    per: 'own',
    effects: [
      {
        call: 'decisionLog.append hooked',
        by: ['shared/engine/generator/steps/deployment-runner.ts'],
        what: 'the result of the hooks is recorded, so they do not run again',
        ifDead: 'a resume continues after the hooks',
      },
    ],
  },
  retry: {
    handler: 'step-generator',
    when: 'an error hook requests a retry of a failed call',
    per: 'chain',
    effects: [
      {
        call: 'decisionLog.append retried',
        by: drive,
        what: 'the operation that replaces the failed one is recorded',
        ifDead: 'the sweep sends it; a resume waits for it',
        only: 'unless an earlier generator run recorded it',
      },
      {
        call: 'chains.send',
        by: drive,
        what: 'that operation',
        ifDead: 'an executor runs it',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
