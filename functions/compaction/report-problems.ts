import type { PutMetric } from '../../shared/platform/aws/metrics.ts'
import type { CountDeadLetters } from '../../shared/platform/aws/queues/dead-letter-count.ts'
import type { LoggerPort } from '../../shared/ports/system.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { type StuckDeps, findStuckDeployments } from './stuck-deployments.ts'

/** The dependencies of reporting problems. */
export interface ProblemDeps {
  readonly platform: StuckDeps & { readonly logger: LoggerPort }
  readonly putMetric: PutMetric
  readonly countDeadLetters: CountDeadLetters
}

/**
 * Finds stuck deployments and dead letters, and writes them to the log and as metrics. Without
 * problems it writes no metric, because a metric costs only in the hours in which it has values.
 * Throws the errors of `countDeadLetters`.
 */
export async function reportProblems(
  { platform, putMetric, countDeadLetters }: ProblemDeps,
  openDeployments: readonly DeploymentId[],
): Promise<void> {
  const stuckDeployments = await findStuckDeployments(platform, openDeployments)
  const deadLetters = await countDeadLetters()
  const deadLetterCount = Object.values(deadLetters).reduce((sum, count) => sum + count, 0)
  if (stuckDeployments.length > 0) {
    platform.logger.write('error', 'deployments.stuck', { stuck: stuckDeployments })
    putMetric('stuckDeployments', stuckDeployments.length)
  }
  if (deadLetterCount > 0) platform.logger.write('error', 'queues.deadLetters', deadLetters)
  const problemCount = stuckDeployments.length + deadLetterCount
  if (problemCount > 0) putMetric('problems', problemCount)
}
