import type { Platform } from '../../shared/ports/platform.ts'
import type { PutMetric } from '../../shared/platform/aws/metrics.ts'
import { type LookedThrough, lookThrough } from './look-through.ts'
import { keepingOf, prune, type Pruned } from './prune.ts'
import { type StuckDeps, stuckOf } from './stuck.ts'

/** What the regular call of compaction came to. */
export interface TidiedUp {
  readonly looked: LookedThrough
  readonly pruned: Pruned
}

/**
 * Looks through all stacks, tells how many deployments are stuck, then removes what was kept long
 * enough. May be called at any time.
 */
export async function tidyUp(
  { platform, metric }: { readonly platform: Platform & StuckDeps; readonly metric: PutMetric },
  env: Readonly<Record<string, string | undefined>>,
): Promise<TidiedUp> {
  const looked = await lookThrough(platform)
  const stuck = await stuckOf(platform, looked.open)
  if (stuck.length > 0) platform.journal.write('error', 'deployments.stuck', { stuck })
  metric('stuckDeployments', stuck.length)
  const pruning = { platform, isAlive: () => undefined, keeping: keepingOf(env) }
  const pruned = await prune(pruning, { dryRun: false })
  const { nudged, unreadable, forgotten } = looked
  const counts = { nudged: nudged.length, forgotten, removed: pruned.deployments.length }
  platform.journal.write('info', 'stacks.tidied', { ...counts, unreadable })
  return { looked, pruned }
}
