import type { Platform } from '../../shared/ports/platform.ts'
import type { PutMetric } from '../../shared/platform/aws/metrics.ts'
import { type ReconcileResult, reconcileStacks } from './reconcile-stacks.ts'
import { readKeeping, prune, type PruneResult } from './prune.ts'
import { type StuckDeps, findStuckDeployments } from './stuck-deployments.ts'

/** The result of the regular call of compaction. */
export interface TidyUpResult {
  readonly reconciled: ReconcileResult
  readonly pruned: PruneResult
}

/**
 * Reconciles all stacks, records the number of stuck deployments, and removes old records. Can be
 * called at any time.
 */
export async function tidyUp(
  { platform, metric }: { readonly platform: Platform & StuckDeps; readonly metric: PutMetric },
  env: Readonly<Record<string, string | undefined>>,
): Promise<TidyUpResult> {
  const reconciled = await reconcileStacks(platform)
  const stuck = await findStuckDeployments(platform, reconciled.open)
  if (stuck.length > 0) platform.logger.write('error', 'deployments.stuck', { stuck })
  metric('stuckDeployments', stuck.length)
  const pruning = { platform, isAlive: () => undefined, keeping: readKeeping(env) }
  const pruned = await prune(pruning, { dryRun: false })
  const { nudged, unreadable, forgotten } = reconciled
  const counts = { nudged: nudged.length, forgotten, removed: pruned.deployments.length }
  platform.logger.write('info', 'stacks.tidied', { ...counts, unreadable })
  return { reconciled, pruned }
}
