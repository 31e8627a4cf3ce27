import type { EffectList } from './effect.ts'

const hookedCallFiles = ['shared/engine/deployment/dispatch/run-hooked-call.ts']
const retryFiles = ['shared/engine/deployment/dispatch/call-with-error-hooks.ts']
const releaseWaitersFiles = ['shared/engine/executor/release-waiters.ts']
const generatorReleaserFiles = ['shared/engine/executor/waiter-releaser.ts']

/** Effects of the generator around hooks of the program, which only the generator can call. */
export const effectsOfHooks = {
  endHook: {
    handler: 'step-generator',
    situation: 'hooks around a provider call have run or are skipped',
    orderedPer: 'generatorOperation',
    effects: [
      {
        call: 'decisionLog.append hooked',
        sourceFiles: hookedCallFiles,
        description: 'the result of the hooks is recorded, so they do not run again',
        afterCrash: 'a resume ends the hook as recorded',
        condition: 'unless an earlier generator run recorded it',
      },
      {
        call: 'operations.select',
        sourceFiles: hookedCallFiles,
        description: "the head of the hook's operation gets its end, which sweeps need",
        afterCrash: 'the sweep repeats the arrivals',
      },
      {
        call: 'operations.arrive',
        sourceFiles: releaseWaitersFiles,
        description: 'the arrival is recorded at each operation that waits for this one',
        afterCrash: 'as after the previous effect',
        condition: 'when an operation waits',
        loopsBackTo: 3,
      },
    ],
  },
  joinAfterHook: {
    handler: 'step-generator',
    situation: 'a hook was the last arrival of a join',
    orderedPer: 'generatorOperation',
    effects: [
      {
        call: 'operations.select',
        sourceFiles: releaseWaitersFiles,
        description: 'the join ends',
        afterCrash: 'the sweep ends it',
      },
      {
        call: 'operations.arrive',
        sourceFiles: releaseWaitersFiles,
        description: 'the arrival is recorded at each operation that waits for this one',
        afterCrash: 'the sweep repeats the other arrivals and sends ready operations',
        loopsBackTo: 2,
      },
    ],
  },
  sendAfterHook: {
    handler: 'step-generator',
    situation: 'the end of a hook makes an operation ready',
    orderedPer: 'chain',
    effects: [
      {
        call: 'chains.send',
        sourceFiles: generatorReleaserFiles,
        description:
          'the call after its hook, or an operation that waited for the hook after a call, is sent',
        afterCrash: 'the sweep sends it',
      },
    ],
  },
  hookSettled: {
    handler: 'step-generator',
    situation: 'hooks of a component or provider have run',
    orderedPer: 'generatorOperation',
    effects: [
      {
        call: 'decisionLog.append hooked',
        sourceFiles: ['shared/engine/generator/steps/deployment-runner.ts'],
        description: 'the result of the hooks is recorded, so they do not run again',
        afterCrash: 'a resume continues after the hooks',
      },
    ],
  },
  retryHookedCall: {
    handler: 'step-generator',
    situation: 'an error hook requests a retry of a failed call',
    orderedPer: 'chain',
    effects: [
      {
        call: 'decisionLog.append retried',
        sourceFiles: retryFiles,
        description: 'the operation that replaces the failed one is recorded',
        afterCrash: 'the sweep sends it; a resume waits for it',
        condition: 'unless an earlier generator run recorded it',
      },
      {
        call: 'chains.send',
        sourceFiles: retryFiles,
        description: 'the operation that replaces the failed one is sent',
        afterCrash: 'an executor runs it',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
