import type { EffectList, UnlistedCalls } from './effect.ts'
import { effectsOfDeciding } from './effects-of-deciding.ts'
import { effectsOfEnding } from './effects-of-ending.ts'
import { effectsOfExecuting } from './effects-of-executing.ts'
import { effectsOfHooks } from './effects-of-hooks.ts'
import { effectsOfMaintenance } from './effects-of-maintenance.ts'
import { effectsOfGeneratorRuns } from './effects-of-generator-runs.ts'
import { effectsOfTriggers } from './effects-of-triggers.ts'

/**
 * The effects of every handler in their order. The page `docs/order-of-effects.md` and the crash
 * suite are generated from this table. The suite kills a process before and after each effect
 * (`test/lifecycle/order-of-effects.full.test.ts`).
 */
export const orderOfEffects = {
  ...effectsOfDeciding,
  ...effectsOfHooks,
  ...effectsOfEnding,
  ...effectsOfGeneratorRuns,
  ...effectsOfExecuting,
  ...effectsOfMaintenance,
  ...effectsOfTriggers,
} as const satisfies Record<string, EffectList>

/** Port calls of handlers that are not in the lists. */
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
      'archives.get',
      'archives.readContentHash',
      'catalog.getStack',
      'catalog.listStacks',
      'catalog.listLateOutcomes',
      'catalog.listSlowOperations',
      'catalog.listHistory',
      'catalog.listVersions',
      'chains.listDeadLetters',
      'retention.listDeployments',
      'retention.listReferences',
      'blobSweep.list',
    ],
    reason: 'they read, and change nothing',
  },
  {
    calls: ['chains.receive', 'chains.extend', 'nudges.receive'],
    reason:
      'they make a message invisible for a time: after a crash it becomes visible again, and any message may be delivered twice',
  },
  {
    calls: ['retention.removeLeftovers'],
    reason:
      'it removes records of removed stacks, which no handler reads: the next call removes the rest',
  },
  {
    calls: ['leases.renew'],
    reason:
      'it runs on a timer, in parallel to everything else: a crash before or after it only means that the next renewal is missing',
  },
  {
    calls: ['hints.hint', 'hints.listen'],
    reason: 'they change nothing durable: hints are an optimization and may get lost',
  },
]

/**
 * Files that only forward port calls: wrappers that repeat or batch them, the route for programs,
 * and the tasks of the long pool. The lists name the callers.
 */
export const forwardingFiles: readonly string[] = [
  'shared/engine/deployment/retry/retry-unavailable.ts',
  'shared/engine/deployment/retry/store-retry.ts',
  'shared/engine/deployment/dispatch/adapt-chain-queue.ts',
  'functions/api/routes/programs.ts',
  'functions/step-executor/long-pool-task.ts',
  'functions/step-generator/long-pool-task.ts',
]
