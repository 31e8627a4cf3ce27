import type { EffectList } from './effect.ts'

/**
 * Effects of the API for clients of Pulumi. No handler of a deployment has them, so the crash suite
 * does not contain them. `test/pulumi-cli` kills the server and the client instead.
 */
export const effectsOfClients = {
  editStack: {
    handler: 'api',
    situation:
      'a client of Pulumi creates or removes a stack, or stops a deployment of this engine',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.createStack',
        sourceFiles: ['shared/pulumi-service/stack-routes.ts'],
        description: 'the stack exists',
        afterCrash: 'the stack lacks the state and the tags of the request: the user removes it',
      },
      {
        call: 'blobs.put',
        sourceFiles: ['shared/pulumi-service/stack-routes.ts'],
        description: 'the first state, which names the secrets manager',
        condition: 'when the client sent a state',
        afterCrash: 'no record names the blob: the sweep removes it',
      },
      {
        call: 'catalog.publish',
        sourceFiles: ['shared/pulumi-service/stack-routes.ts'],
        description: 'the first state is published',
        condition: 'when the client sent a state',
        afterCrash: 'the stack is complete, except for its tags',
      },
      {
        call: 'catalog.removeStack',
        sourceFiles: ['shared/runtime/state/remove-idle-stack.ts'],
        description: 'the stack is removed',
        condition: 'for a removal',
        afterCrash: 'its documents remain, and a new stack with its name has them',
      },
      {
        call: 'control.stop',
        sourceFiles: ['shared/pulumi-service/deployment-updates.ts'],
        description: 'the deployment is asked to stop',
        condition: 'for a cancel',
        afterCrash: 'its generator reads the flag by itself',
      },
      {
        call: 'nudges.nudge',
        sourceFiles: [
          'shared/pulumi-service/deployment-updates.ts',
          'shared/pulumi-service/edit-routes.ts',
        ],
        description: 'the stack is checked',
        condition: 'for a cancel, an import or a rename',
        afterCrash: 'the next check of all stacks finds the request',
      },
      {
        call: 'archives.put',
        sourceFiles: ['shared/pulumi-service/edit-routes.ts'],
        description: 'the imported state is an archive, which the request of the edit names',
        condition: 'for an import',
        afterCrash: 'no record names the archive: the sweep removes it',
      },
    ],
  },
  serveClientUpdate: {
    handler: 'api',
    situation: 'a client of Pulumi runs an update',
    orderedPer: 'process',
    effects: [
      {
        call: 'catalog.start',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'the deployment is current, and in the history',
        afterCrash: 'it has no control record: the next start closes it',
      },
      {
        call: 'control.create',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'the client is the holder, until its lease ends',
        afterCrash: 'the lease ends, and the next start or server closes the deployment',
      },
      {
        call: 'decisionLog.append pin',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'the base is pinned',
        afterCrash: 'as after the previous effect',
      },
      {
        call: 'decisionLog.append client-entries',
        sourceFiles: ['shared/pulumi-service/update-routes.ts'],
        description: 'a batch of journal entries is durable; then the client gets its answer',
        afterCrash: 'the client sends the batch again, and the fold ignores the repetition',
        loopsBackTo: 4,
      },
      {
        call: 'blobs.put',
        sourceFiles: ['shared/pulumi-service/checkpoint-routes.ts'],
        description: 'the whole state of a client without a journal',
        condition: 'instead of entries',
        afterCrash: 'no record names the blob: the sweep removes it',
      },
      {
        call: 'decisionLog.append client-checkpoint',
        sourceFiles: ['shared/pulumi-service/checkpoint-routes.ts'],
        description: 'the log names the state',
        condition: 'instead of entries',
        afterCrash:
          'the client sends the state again, and the state with the highest number counts',
      },
      {
        call: 'decisionLog.append takeover',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'the lease is renewed',
        condition: 'when half of the lease is over',
        afterCrash: 'the client renews again',
      },
      {
        call: 'control.hold',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'the control record has the new end of the lease',
        condition: 'after a renewal',
        afterCrash: 'the client continues with the lease',
      },
      {
        call: 'events.append',
        sourceFiles: ['shared/pulumi-service/event-routes.ts'],
        description: 'a batch of engine events is stored',
        afterCrash: 'the client sends the batch again, which changes nothing',
      },
      {
        call: 'decisionLog.append client-steps',
        sourceFiles: ['shared/pulumi-service/event-routes.ts'],
        description: 'the log names the creates that began and the steps that ended',
        condition: 'for a client without a journal',
        afterCrash: 'the client sends the batch again, and the fold ignores the repetition',
      },
      {
        call: 'decisionLog.append closing',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'no further entry is accepted; the close follows, as for every deployment',
        afterCrash: 'the client repeats its report, or the next process closes the deployment',
      },
      {
        call: 'control.stop',
        sourceFiles: ['shared/pulumi-service/client-deployment.ts'],
        description: 'a cancel ends the lease; a take-over with its close follows',
        condition: 'for a cancel',
        afterCrash: 'the lease is over, and the next process closes the deployment',
      },
    ],
  },
} as const satisfies Record<string, EffectList>
