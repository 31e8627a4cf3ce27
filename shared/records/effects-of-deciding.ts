import type { EffectList } from './effect.ts'

const start = ['functions/step-generator/start-deployment.ts']
const runner = ['shared/engine/generator/steps/deployment-runner.ts']
const up = ['shared/engine/commands/up-command.ts']
const command = ['shared/engine/commands/deploy-command.ts']
const plan = ['shared/engine/deployment/dispatch/run-plan.ts']
const chain = ['shared/engine/deployment/dispatch/run-chain.ts']

/** What the generator does from the start of a deployment to its last decision. */
export const effectsOfDeciding = {
  start: {
    handler: 'step-generator',
    when: 'a deployment starts',
    per: 'process',
    effects: [
      {
        call: 'catalog.start',
        by: start,
        what: 'the next number of the stack, if no deployment is current',
        ifDead: 'the stack is taken; whoever finds no control record for 3 s closes it',
        again: 1,
      },
      {
        call: 'control.create',
        by: start,
        what: 'the control record, which names the holder',
        ifDead: 'the holder is known to be dead; nothing was decided',
      },
      {
        call: 'decisionLog.append takeover',
        by: start,
        what: 'the first record: this life writes the log',
        ifDead: 'nothing was decided',
      },
      {
        call: 'blobs.put',
        by: start,
        what: 'the base with what came late, or with what a person said of pending creates',
        ifDead: 'it belongs to nobody',
        only: 'when there is such',
      },
      {
        call: 'decisionLog.append pin',
        by: start,
        what: 'base version, options, program and configuration; the keys of what it took',
        ifDead: 'it can be resumed from here on; nothing was asked of anyone',
        only: 'when the base can be used: else the deployment is closed',
      },
      {
        call: 'catalog.removeLate',
        by: start,
        what: 'the inbox no longer has what was taken',
        ifDead: 'nothing is lost',
        only: 'when something was taken: who dies before it leaves it to the take-over',
      },
    ],
  },
  refresh: {
    handler: 'step-generator',
    when: 'states are compared with the cloud before anything else',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append phase refresh',
        by: command,
        what: 'the refresh has begun: its plan is next',
        ifDead: 'a resume plans it anew',
        only: 'when no earlier life has planned it',
      },
      {
        call: 'blobs.put',
        by: command,
        what: 'the fold of what was refreshed',
        ifDead: 'it belongs to nobody; the fold is made again',
        only: 'when the command goes on after its refresh',
      },
      {
        call: 'decisionLog.append phase rebased',
        by: command,
        what: 'the second pin in one record with the phase: from here on that fold is the base',
        ifDead: 'a resume decides against the new base',
        only: 'when the command goes on after its refresh',
      },
    ],
  },
  program: {
    handler: 'step-generator',
    when: 'an up runs its program',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append phase program',
        by: up,
        what: 'the program is started after it',
        ifDead: 'a resume runs the program',
        only: 'in the first life that comes so far',
      },
      {
        call: 'decisionLog.append program-ended',
        by: up,
        what: 'nothing is registered any more; in one record with the plan of the deletes',
        ifDead: 'a resume does not run the program again',
        only: 'when the program ended without an error',
      },
      {
        call: 'decisionLog.append phase outputs-applied',
        by: up,
        what: 'the outputs of the stack are in its state, in a record before or in this one',
        ifDead: 'a resume only closes',
        only: 'unless the surroundings failed',
      },
    ],
  },
  answer: {
    handler: 'step-generator',
    when: 'the program calls a function of a provider',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append answered',
        by: runner,
        what: 'the answer, sealed, in front of the next decision and in one record with it',
        ifDead: 'a resume gives the program the same answer',
      },
    ],
  },
  extend: {
    handler: 'step-generator',
    when: 'the program registers the first resource of an extension that the base has not',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append extension',
        by: runner,
        what: 'what the provider is extended by, in front of the next decision and in one record with it',
        ifDead: 'executors find it there; a resume records it only if it is not',
      },
    ],
  },
  settle: {
    handler: 'step-generator',
    when: 'a component, a provider or an unchanged resource of which something kept differs',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append settled',
        by: [...runner, 'shared/engine/generator/refresh/rewrite-states.ts'],
        what: 'the decision with the whole new state',
        ifDead: 'the state is in every fold',
      },
    ],
  },
  outputs: {
    handler: 'step-generator',
    when: 'a component or the stack registers outputs',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append outputs',
        by: runner,
        what: 'the whole state with them',
        ifDead: 'the state is in every fold; a resume writes it again only if it differs',
      },
    ],
  },
  register: {
    handler: 'step-generator',
    when: 'a registration comes to operations',
    per: 'chain',
    effects: [
      {
        call: 'decisionLog.append registration',
        by: runner,
        what: 'the decision with its chain of operations, after the answers it was made upon',
        ifDead: 'nobody was told: the sweep sends it',
      },
      {
        call: 'chains.send',
        by: chain,
        what: 'the first operation of the chain',
        ifDead: 'an executor runs it; nobody waits until somebody resumes',
        only: 'when there are operations',
      },
    ],
  },
  replay: {
    handler: 'step-generator',
    when: 'a registration that an earlier life decided comes again, and its chain is not over',
    per: 'chain',
    effects: [
      {
        call: 'chains.send',
        by: chain,
        what: 'the first operation of the chain, once more',
        ifDead: 'who has it twice finds it begun or ended',
      },
    ],
  },
  withdraw: {
    handler: 'step-generator',
    when: 'a registration comes again with another goal, and nothing of it has begun',
    per: 'process',
    effects: [
      {
        call: 'operations.select',
        by: ['shared/engine/generator/replay/deployment-replay.ts'],
        what: 'the first operation of the recorded chain has failed, if it did not begin meanwhile',
        ifDead: 'a resume decides anew: what was withdrawn never begins',
      },
    ],
  },
  plan: {
    handler: 'step-generator',
    when: 'deletes or a refresh are planned',
    per: 'process',
    effects: [
      {
        call: 'blobs.put',
        by: plan,
        what: 'pages of at most 500 operations',
        ifDead: 'they belong to nobody: the plan is made again',
        again: 1,
      },
      {
        call: 'decisionLog.append plan',
        by: plan,
        what: 'the plan exists, together with the end of the program for deletes of an up',
        ifDead: 'it is followed; it is never made a second time',
      },
      {
        call: 'chains.send',
        by: plan,
        what: 'what needs nothing',
        ifDead: 'executors release the rest; the sweep sends what was not sent',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
