import type { EffectList } from './effect.ts'

const drive = ['shared/engine/deployment/dispatch/run-hooked-call.ts']
const release = ['shared/engine/executor/release-waiters.ts']
const releaser = ['shared/engine/executor/generator-releaser.ts']

/** What the generator does about hooks of the program: it alone can reach it. */
export const effectsOfHooks = {
  hook: {
    handler: 'step-generator',
    when: 'hooks around a provider call were run, or will not be',
    per: 'own',
    effects: [
      {
        call: 'decisionLog.append hooked',
        by: drive,
        what: 'what they came to: they are not run again',
        ifDead: 'a resume ends the hook as the record says',
        only: 'unless an earlier life recorded it',
      },
      {
        call: 'operations.select',
        by: drive,
        what: 'the end of the hook, on its head, for sweeps',
        ifDead: 'the sweep redoes the arrivals',
      },
      {
        call: 'operations.arrive',
        by: release,
        what: 'noted at each operation that waits for it',
        ifDead: 'as before',
        only: 'when one waits',
        again: 3,
      },
    ],
  },
  joinAfterHook: {
    handler: 'step-generator',
    when: 'a hook was the last that a join waited for',
    per: 'own',
    effects: [
      {
        call: 'operations.select',
        by: release,
        what: 'the join is ended',
        ifDead: 'the sweep ends it',
      },
      {
        call: 'operations.arrive',
        by: release,
        what: 'noted at each operation that waits for it',
        ifDead: 'the sweep redoes the others and sends what is ready',
        again: 2,
      },
    ],
  },
  sendAfterHook: {
    handler: 'step-generator',
    when: 'an operation became ready by a hook',
    per: 'chain',
    effects: [
      {
        call: 'chains.send',
        by: releaser,
        what: 'the call after its hook, or what waited for the hook after a call',
        ifDead: 'the sweep sends it',
      },
    ],
  },
  hookOfSettled: {
    handler: 'step-generator',
    when: 'hooks of a component or provider were run',
    per: 'own',
    effects: [
      {
        call: 'decisionLog.append hooked',
        by: ['shared/engine/generator/steps/deployment-runner.ts'],
        what: 'what they came to: they are not run again',
        ifDead: 'a resume goes on after it',
      },
    ],
  },
  retry: {
    handler: 'step-generator',
    when: 'an error hook wants a failed call made again',
    per: 'chain',
    effects: [
      {
        call: 'decisionLog.append retried',
        by: drive,
        what: 'the operation that takes the place of the failed one',
        ifDead: 'the sweep sends it; a resume awaits it',
        only: 'unless an earlier life recorded it',
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
