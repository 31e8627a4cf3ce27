import type { EffectList } from './effect.ts'

const startDeploymentFiles = ['functions/step-generator/start-deployment.ts']
const claimingWriterFiles = ['shared/engine/deployment/claims/claiming-writer.ts']
const deploymentRunnerFiles = ['shared/engine/generator/steps/deployment-runner.ts']
const programCommandFiles = ['shared/engine/commands/deploy-with-program.ts']
const deployCommandFiles = ['shared/engine/commands/deploy-command.ts']
const runPlanFiles = ['shared/engine/deployment/dispatch/run-plan.ts']
const runChainFiles = ['shared/engine/deployment/dispatch/run-chain.ts']

/** Effects of the generator from the start of a deployment to its last decision. */
export const effectsOfDeciding = {
  extendClaim: {
    handler: 'step-generator',
    situation: 'a decision of a targeted deployment touches a resource outside of its claim',
    orderedPer: 'process',
    effects: [
      {
        call: 'blobs.put',
        sourceFiles: claimingWriterFiles,
        description: 'the extended claim is a blob',
        afterCrash: 'no record names the blob: the sweep removes it',
      },
      {
        call: 'catalog.extendClaim',
        sourceFiles: claimingWriterFiles,
        description: 'no other deployment can claim the resource',
        afterCrash: 'the deployment claims more than it decided, until it is closed',
      },
    ],
  },
  start: {
    handler: 'step-generator',
    situation: 'a deployment starts',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.start',
        sourceFiles: startDeploymentFiles,
        description: 'the deployment gets the next number of the stack, if no other one is current',
        afterCrash:
          'the stack is busy; a process that finds no control record for 3 s closes the deployment',
        condition: 'for a deployment of the whole stack',
        loopsBackTo: 1,
      },
      {
        call: 'blobs.put',
        sourceFiles: startDeploymentFiles,
        description: 'the claim of the targets is a blob',
        afterCrash: 'no record names the blob: the sweep removes it',
        condition: 'for a targeted deployment',
      },
      {
        call: 'catalog.startTargeted',
        sourceFiles: startDeploymentFiles,
        description: 'the deployment is open beside others whose claims it does not touch',
        afterCrash:
          'its claim stays; a process that finds no control record for 3 s closes the deployment',
        condition: 'for a targeted deployment',
      },
      {
        call: 'control.create',
        sourceFiles: startDeploymentFiles,
        description: 'the control record is created and names the holder',
        afterCrash: 'the holder counts as dead; no decision was made',
      },
      {
        call: 'decisionLog.append takeover',
        sourceFiles: startDeploymentFiles,
        description: 'the first log record: this generator run writes the log',
        afterCrash: 'no decision was made',
      },
      {
        call: 'blobs.put',
        sourceFiles: [...startDeploymentFiles, 'functions/step-generator/prepare-base.ts'],
        description:
          "the base with late outcomes, missing providers and the user's answers about pending creates, or the update plan, is stored",
        afterCrash: 'the blob is unreferenced; the sweep removes it',
        condition:
          'when late outcomes, providers or answers change the base, or an update plan constrains it',
      },
      {
        call: 'decisionLog.append pin',
        sourceFiles: startDeploymentFiles,
        description:
          'the pin records base version, options, secrets manager, a digest of program and configuration, and the keys of the late outcomes taken',
        afterCrash: 'the deployment can be resumed; no provider was called',
        condition: 'when the base is valid: otherwise the deployment is closed',
      },
      {
        call: 'catalog.removeLateOutcomes',
        sourceFiles: startDeploymentFiles,
        description: 'the late outcomes taken are removed from the inbox',
        afterCrash: 'nothing is lost; the take-over removes those that remain',
        condition: 'when late outcomes were taken',
      },
    ],
  },
  planRefresh: {
    handler: 'step-generator',
    situation: 'a refresh reads the states of resources before anything else',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append phase refresh',
        sourceFiles: deployCommandFiles,
        description: 'the refresh phase begins; its plan follows',
        afterCrash: 'a resume makes the plan again',
        condition: 'when no earlier generator run has planned the refresh',
      },
      {
        call: 'blobs.put',
        sourceFiles: deployCommandFiles,
        description: 'the fold of the refreshed states is stored',
        afterCrash: 'the blob is unreferenced; a resume folds again',
        condition: 'when the command continues after its refresh',
      },
      {
        call: 'decisionLog.append phase rebased',
        sourceFiles: deployCommandFiles,
        description: 'the second pin and the phase, in one record, make that fold the base',
        afterCrash: 'a resume decides against the new base',
        condition: 'when the command continues after its refresh',
      },
    ],
  },
  runProgram: {
    handler: 'step-generator',
    situation: 'an update, refresh or destroy runs its program',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append phase program',
        sourceFiles: programCommandFiles,
        description: 'the program phase begins; the program starts after this record',
        afterCrash: 'a resume runs the program',
        condition: 'in the first generator run that reaches this phase',
      },
      {
        call: 'decisionLog.append program-ended',
        sourceFiles: programCommandFiles,
        description:
          'the program has ended; this record also contains the plan of the deletes or reads that follow, if any',
        afterCrash: 'a resume does not run the program again',
        condition: 'when the program ended without an error, and its deletes are allowed',
      },
      {
        call: 'decisionLog.append phase outputs-applied',
        sourceFiles: programCommandFiles,
        description:
          'the outputs of the stack are applied; if they changed, an earlier record has them',
        afterCrash:
          'a resume closes the deployment; after a failed program, it runs the program again',
        condition: 'unless a fault aborted the run',
      },
    ],
  },
  recordResult: {
    handler: 'step-generator',
    situation: 'the program calls a function of a provider',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append answered',
        sourceFiles: deploymentRunnerFiles,
        description: 'the sealed result is recorded before the next decision, in the same record',
        afterCrash: 'a resume returns the same result to the program',
      },
    ],
  },
  recordExtension: {
    handler: 'step-generator',
    situation: 'the program registers the first resource of an extension that the base lacks',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append extension',
        sourceFiles: deploymentRunnerFiles,
        description:
          "the extension's parameters are recorded before the next decision, in the same record",
        afterCrash:
          'executors find the extension in the log; a resume records it only if it is missing',
      },
    ],
  },
  settleResource: {
    handler: 'step-generator',
    situation: 'a component, a provider, or an unchanged resource with changed metadata is decided',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append settled',
        sourceFiles: [
          ...deploymentRunnerFiles,
          'shared/engine/generator/steps/record-changed-states.ts',
        ],
        description: 'the decision contains the complete new state',
        afterCrash: 'every fold contains the state',
      },
    ],
  },
  registerOutputs: {
    handler: 'step-generator',
    situation: 'a component or the stack registers outputs',
    orderedPer: 'process',
    effects: [
      {
        call: 'decisionLog.append outputs',
        sourceFiles: deploymentRunnerFiles,
        description: 'the decision contains the complete state with the outputs',
        afterCrash: 'every fold contains the state; a resume writes it again only if it differs',
      },
    ],
  },
  register: {
    handler: 'step-generator',
    situation: 'a registration results in operations',
    orderedPer: 'chain',
    effects: [
      {
        call: 'decisionLog.append registration',
        sourceFiles: deploymentRunnerFiles,
        description:
          'one record has the decision with its chain, after the results of earlier calls of provider functions',
        afterCrash: 'no executor was notified; the sweep sends the chain',
      },
      {
        call: 'chains.send',
        sourceFiles: runChainFiles,
        description: 'the first operation of the chain is sent',
        afterCrash: 'an executor runs it; the result waits for a resume',
        condition: 'unless the chain is empty or begins with a hook, which the generator runs',
      },
    ],
  },
  replay: {
    handler: 'step-generator',
    situation:
      'a registration from an earlier generator run is repeated, and its chain has not ended',
    orderedPer: 'chain',
    effects: [
      {
        call: 'chains.send',
        sourceFiles: runChainFiles,
        description: 'the first operation of the chain is sent again',
        afterCrash: 'an executor that receives it twice finds it begun or ended',
      },
    ],
  },
  withdraw: {
    handler: 'step-generator',
    situation: 'a registration is repeated with another goal before any of its operations began',
    orderedPer: 'process',
    effects: [
      {
        call: 'operations.select',
        sourceFiles: ['shared/engine/generator/replay/deployment-replay.ts'],
        description:
          'the first operation of the recorded chain ends as failed, unless it began meanwhile',
        afterCrash: 'a resume decides again; the withdrawn operation never begins',
      },
    ],
  },
  sendPlan: {
    handler: 'step-generator',
    situation: 'deletes, a refresh or imports are planned',
    orderedPer: 'process',
    effects: [
      {
        call: 'blobs.put',
        sourceFiles: runPlanFiles,
        description: 'plan pages of at most 500 operations are stored',
        afterCrash: 'the pages are unreferenced; a resume makes the plan again',
        loopsBackTo: 1,
      },
      {
        call: 'decisionLog.append plan',
        sourceFiles: runPlanFiles,
        description: 'the plan is recorded; after a program, together with the end of the program',
        afterCrash: 'a resume follows the plan and never makes another one',
      },
      {
        call: 'chains.send',
        sourceFiles: runPlanFiles,
        description: 'operations without needs are sent, except hooks',
        afterCrash:
          'executors, and the generator after hooks, release the others; the sweep sends operations that were not sent',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
