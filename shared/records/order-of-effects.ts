import type { EffectList, UnlistedCalls } from './effect.ts'
import { effectsOfDeciding } from './effects-of-deciding.ts'
import { effectsOfEnding } from './effects-of-ending.ts'
import { effectsOfExecuting } from './effects-of-executing.ts'
import { effectsOfHooks } from './effects-of-hooks.ts'
import { effectsOfMaintenance } from './effects-of-maintenance.ts'
import { effectsOfGeneratorRuns } from './effects-of-generator-runs.ts'
import { effectsOfTriggers } from './effects-of-triggers.ts'

/**
 * The effects of the handlers, in their order. The crash suite is generated from this table: it
 * kills a process before and after each effect (`test/lifecycle/order-of-effects.full.test.ts`).
 * The page `docs/order-of-effects.md` also has `effectsOfClients`, the effects of the API for
 * clients of Pulumi.
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

/** Port calls that no list of effects contains, although handlers make them. */
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
      'it removes records of removed stacks, which no handler reads: after a crash the next call removes the rest',
  },
  {
    calls: ['leases.renew'],
    reason:
      'it runs on a timer, in parallel to everything else: a crash only means that the next renewal is missing. ' +
      'Before the first call of a plugin it also adds the process group of the plugin to the lease. A take-over ends the groups of the lease',
  },
  {
    calls: ['hints.hint', 'hints.listen'],
    reason: 'they change nothing durable: hints are an optimization and may get lost',
  },
]

/**
 * Wrappers that repeat port calls, or change the messages that they send. The lists name the
 * callers of the wrappers, and not the files of the wrappers.
 */
export const forwardingFiles: readonly string[] = [
  // Repeats a call after a temporary failure of the store.
  'shared/engine/deployment/retry/retry-store-call.ts',
  'shared/engine/deployment/retry/store-retry.ts',
  // Splits messages, or merges those of several calls.
  'shared/engine/deployment/dispatch/adapt-chain-queue.ts',
]
