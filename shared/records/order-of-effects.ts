import type { EffectList, Unlisted } from './effect.ts'
import { effectsOfDeciding } from './effects-of-deciding.ts'
import { effectsOfExecuting } from './effects-of-executing.ts'
import { effectsOfHooks } from './effects-of-hooks.ts'
import { effectsOfKeeping } from './effects-of-keeping.ts'
import { effectsOfLives } from './effects-of-lives.ts'
import { effectsOfTriggers } from './effects-of-triggers.ts'

/**
 * The effects of every handler in the order in which they happen. The page
 * `docs/order-of-effects.md` is made from it, and so is the crash suite, which kills a process
 * before and after each of them (`test/lifecycle/order-of-effects.full.test.ts`).
 */
export const orderOfEffects = {
  ...effectsOfDeciding,
  ...effectsOfHooks,
  ...effectsOfLives,
  ...effectsOfExecuting,
  ...effectsOfKeeping,
  ...effectsOfTriggers,
} as const satisfies Record<string, EffectList>

/** What handlers ask of ports besides the lists. */
export const unlisted: readonly Unlisted[] = [
  {
    calls: [
      'log.read',
      'operations.outcome',
      'operations.heads',
      'operations.ends',
      'control.read',
      'leases.list',
      'events.read',
      'blobs.get',
      'catalog.stack',
      'catalog.stacks',
      'catalog.late',
      'catalog.slow',
      'catalog.history',
      'catalog.versions',
      'chains.deadLetters',
      'retention.deployments',
      'retention.references',
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
export const passedOnBy: readonly string[] = [
  'shared/engine/deployment/keep-trying.ts',
  'shared/engine/deployment/patience.ts',
  'shared/engine/deployment/chains-of.ts',
  'functions/api/routes/programs.ts',
  'functions/step-executor/long.ts',
  'functions/step-generator/long.ts',
]
