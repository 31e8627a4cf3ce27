import type { Platform } from '../../shared/ports/platform.ts'
import type { PutMetric } from '../../shared/platform/aws/metrics.ts'
import { type ReconcileDeps, type ReconcileResult, reconcileStacks } from './reconcile-stacks.ts'
import { readRetentionPolicy, prune, type PruneResult } from './prune.ts'
import { type StuckDeps, findStuckDeployments } from './stuck-deployments.ts'

/** The result of the regular call of compaction. */
export interface TidyUpResult {
  readonly reconciliation: ReconcileResult
  readonly pruneResult: PruneResult
}

/**
 * Reconciles all stacks, and writes the metric of stuck deployments. Removes the remaining records
 * of removed stacks, and old records, versions and blobs of all stacks. Can be called at any time.
 * Throws CLI_USAGE for invalid retention variables.
 */
export async function tidyUp(
  {
    platform,
    putMetric,
  }: {
    readonly platform: Platform & StuckDeps & Pick<ReconcileDeps, 'documents'>
    readonly putMetric: PutMetric
  },
  env: Readonly<Record<string, string | undefined>>,
): Promise<TidyUpResult> {
  const reconciliation = await reconcileStacks(platform)
  const stuckDeployments = await findStuckDeployments(platform, reconciliation.currentDeployments)
  if (stuckDeployments.length > 0)
    platform.logger.write('error', 'deployments.stuck', { stuck: stuckDeployments })
  putMetric('stuckDeployments', stuckDeployments.length)
  await platform.retention.removeLeftovers()
  const pruneDeps = { platform, isAlive: () => undefined, retention: readRetentionPolicy(env) }
  const pruneResult = await prune(pruneDeps, { dryRun: false })
  const { nudgedStacks, unreadableStacks, removedRequestCount } = reconciliation
  const counts = {
    nudged: nudgedStacks.length,
    forgotten: removedRequestCount,
    removed: pruneResult.deployments.length,
  }
  platform.logger.write('info', 'stacks.tidied', { ...counts, unreadable: unreadableStacks })
  return { reconciliation, pruneResult }
}
