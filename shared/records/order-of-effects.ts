import type { EffectList, UnlistedCalls } from './effect.ts'
import { effectsOfDeciding } from './effects-of-deciding.ts'
import { effectsOfExecuting } from './effects-of-executing.ts'
import { effectsOfHooks } from './effects-of-hooks.ts'
import { effectsOfKeeping } from './effects-of-keeping.ts'
import { effectsOfGeneratorRuns } from './effects-of-generator-runs.ts'
import { effectsOfTriggers } from './effects-of-triggers.ts'

/**
 * The effects of every handler in the order in which they happen. The page
 * `docs/order-of-effects.md` is made from it, and so is the crash suite, which kills a process
 * before and after each of them (`test/lifecycle/order-of-effects.full.test.ts`).
 */
export const orderOfEffects = {
  ...effectsOfDeciding,
  ...effectsOfHooks,
  ...effectsOfGeneratorRuns,
  ...effectsOfExecuting,
  ...effectsOfKeeping,
  ...effectsOfTriggers,
} as const satisfies Record<string, EffectList>

/** What handlers ask of ports besides the lists. */
export const unlistedCalls: readonly UnlistedCalls[] = [
  {
    calls: [
      'decisionLog.read',
      'operations.getOutcome',
      'operations.getHeads',
      'operations.getEnds',
      'control.read',
      'leases.list',
      'events.read',
      'blobs.get',
      'catalog.getStack',
      'catalog.listStacks',
      'catalog.listLate',
      'catalog.listSlow',
      'catalog.listHistory',
      'catalog.listVersions',
      'chains.listDeadLetters',
      'retention.listDeployments',
      'retention.listReferences',
      'blobSweep.list',
    ],
    why: 'they read, and change nothing',
  },
  {
    calls: ['chains.receive', 'chains.extend', 'nudges.receive'],
    why: 'they lend a message for a time: who dies with it gives it back, and any message may come again',
  },
  {
    calls: ['leases.renew'],
    why: 'it counts up by the clock and beside everything: who dies before or after one misses the next',
  },
  {
    calls: ['hints.hint', 'hints.listen'],
    why: 'they stay in the process: a hint is never the truth',
  },
]

/**
 * Files that only pass on what others ask: again, or in other portions, or, of the API, what its
 * callers ask. Those are named.
 */
export const forwardingFiles: readonly string[] = [
  'shared/engine/deployment/retry/retry.ts',
  'shared/engine/deployment/retry/store-retry.ts',
  'shared/engine/deployment/dispatch/adapt-chain-queue.ts',
  'functions/api/routes/programs.ts',
  'functions/step-executor/long-pool-task.ts',
  'functions/step-generator/long-pool-task.ts',
]
