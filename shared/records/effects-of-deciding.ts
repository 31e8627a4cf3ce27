import type { EffectList } from './effect.ts'

const start = ['functions/step-generator/start-deployment.ts']
const runner = ['shared/engine/generator/steps/deployment-runner.ts']
const up = ['shared/engine/commands/up-command.ts']
const command = ['shared/engine/commands/deploy-command.ts']
const plan = ['shared/engine/deployment/dispatch/run-plan.ts']
const chain = ['shared/engine/deployment/dispatch/run-chain.ts']

/** Effects of the generator from the start of a deployment to its last decision. */
export const effectsOfDeciding = {
  start: {
    handler: 'step-generator',
    when: 'a deployment starts',
    per: 'process',
    effects: [
      {
        call: 'catalog.start',
        by: start,
        what: 'the deployment gets the next number of the stack, if no other one is current',
        ifDead:
          'the stack is busy; a process that finds no control record for 3 s closes the deployment',
        again: 1,
      },
      {
        call: 'control.create',
        by: start,
        what: 'the control record is created and names the holder',
        ifDead: 'the holder is known to be dead; no decision was made',
      },
      {
        call: 'decisionLog.append takeover',
        by: start,
        what: 'the first log record: this generator run writes the log',
        ifDead: 'no decision was made',
      },
      {
        call: 'blobs.put',
        by: start,
        what: "the base is stored, with late outcomes and the user's answers about pending creates",
        ifDead: 'the blob is unreferenced; the sweep removes it',
        only: 'when late outcomes or answers change the base',
      },
      {
        call: 'decisionLog.append pin',
        by: start,
        what: 'the pin records base version, options, program, configuration, and the keys of the late outcomes taken',
        ifDead: 'the deployment can be resumed; no provider was called',
        only: 'when the base is valid: otherwise the deployment is closed',
      },
      {
        call: 'catalog.removeLate',
        by: start,
        what: 'the late outcomes taken are removed from the inbox',
        ifDead: 'nothing is lost',
        only: 'when late outcomes were taken: after an earlier crash, the take-over removes them',
      },
    ],
  },
  refresh: {
    handler: 'step-generator',
    when: 'a refresh reads the states of resources before anything else',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append phase refresh',
        by: command,
        what: 'the refresh phase begins; its plan follows',
        ifDead: 'a resume makes the plan again',
        only: 'when no earlier generator run has planned the refresh',
      },
      {
        call: 'blobs.put',
        by: command,
        what: 'the fold of the refreshed states is stored',
        ifDead: 'the blob is unreferenced; a resume folds again',
        only: 'when the command continues after its refresh',
      },
      {
        call: 'decisionLog.append phase rebased',
        by: command,
        what: 'the second pin and the phase, in one record, make that fold the base',
        ifDead: 'a resume decides against the new base',
        only: 'when the command continues after its refresh',
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
        what: 'the program phase begins; the program starts after this record',
        ifDead: 'a resume runs the program',
        only: 'in the first generator run that gets here',
      },
      {
        call: 'decisionLog.append program-ended',
        by: up,
        what: 'the program has ended; this record also contains the plan of the deletes',
        ifDead: 'a resume does not run the program again',
        only: 'when the program ended without an error',
      },
      {
        call: 'decisionLog.append phase outputs-applied',
        by: up,
        what: "the stack outputs are in the stack's state, in this record or an earlier one",
        ifDead: 'a resume only closes the deployment',
        only: 'unless a fault aborted the run',
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
        what: 'the sealed result is recorded before the next decision, in the same record',
        ifDead: 'a resume returns the same result to the program',
      },
    ],
  },
  extend: {
    handler: 'step-generator',
    when: 'the program registers the first resource of an extension that the base lacks',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append extension',
        by: runner,
        what: "the extension's parameters are recorded before the next decision, in the same record",
        ifDead:
          'executors find the extension in the log; a resume records it only if it is missing',
      },
    ],
  },
  settle: {
    handler: 'step-generator',
    when: 'a component, a provider, or an unchanged resource with changed metadata is decided',
    per: 'process',
    effects: [
      {
        call: 'decisionLog.append settled',
        by: [...runner, 'shared/engine/generator/refresh/rewrite-states.ts'],
        what: 'the decision contains the complete new state',
        ifDead: 'every fold contains the state',
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
        what: 'the decision contains the complete state with the outputs',
        ifDead: 'every fold contains the state; a resume writes it again only if it differs',
      },
    ],
  },
  register: {
    handler: 'step-generator',
    when: 'a registration results in operations',
    per: 'chain',
    effects: [
      {
        call: 'decisionLog.append registration',
        by: runner,
        what: 'the decision contains its chain of operations, after the provider results on which it is based',
        ifDead: 'no executor was notified; the sweep sends the chain',
      },
      {
        call: 'chains.send',
        by: chain,
        what: 'the first operation of the chain is sent',
        ifDead: 'an executor runs it; the result waits for a resume',
        only: 'when there are operations',
      },
    ],
  },
  replay: {
    handler: 'step-generator',
    when: 'a registration from an earlier generator run is repeated, and its chain has not ended',
    per: 'chain',
    effects: [
      {
        call: 'chains.send',
        by: chain,
        what: 'the first operation of the chain is sent again',
        ifDead: 'an executor that receives it twice finds it begun or ended',
      },
    ],
  },
  withdraw: {
    handler: 'step-generator',
    when: 'a registration is repeated with another goal before any of its operations began',
    per: 'process',
    effects: [
      {
        call: 'operations.select',
        by: ['shared/engine/generator/replay/deployment-replay.ts'],
        what: 'the first operation of the recorded chain is failed, unless it began meanwhile',
        ifDead: 'a resume decides again; the withdrawn operation never begins',
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
        what: 'plan pages of at most 500 operations are stored',
        ifDead: 'the pages are unreferenced; a resume makes the plan again',
        again: 1,
      },
      {
        call: 'decisionLog.append plan',
        by: plan,
        what: 'the plan is recorded; for the deletes of an up, together with the end of the program',
        ifDead: 'a resume follows the plan and never makes another one',
      },
      {
        call: 'chains.send',
        by: plan,
        what: 'operations without needs are sent',
        ifDead: 'executors release the others; the sweep sends the operations that were not sent',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
