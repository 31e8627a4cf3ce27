import type { Platform } from '../../shared/ports/platform.ts'
import { type ReconcileDeps, type ReconcileResult, reconcileStacks } from './reconcile-stacks.ts'
import { readRetentionPolicy, prune, type PruneResult } from './prune.ts'
import { type ProblemDeps, reportProblems } from './report-problems.ts'

/** The result of the regular call of compaction. */
export interface TidyUpResult {
  readonly reconciliation: ReconcileResult
  readonly pruneResult: PruneResult
}

/**
 * Reconciles all stacks, and reports dead letters and stuck deployments. Removes the remaining
 * records of removed stacks, and old records, versions and blobs of all stacks. Can be called at
 * any time. Throws CLI_USAGE for invalid retention variables, and the errors of `countDeadLetters`.
 */
export async function tidyUp(
  {
    platform,
    putMetric,
    countDeadLetters,
  }: ProblemDeps & { readonly platform: Platform & Pick<ReconcileDeps, 'documents'> },
  env: Readonly<Record<string, string | undefined>>,
): Promise<TidyUpResult> {
  const reconciliation = await reconcileStacks(platform)
  await reportProblems({ platform, putMetric, countDeadLetters }, reconciliation.openDeployments)
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
