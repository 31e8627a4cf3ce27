/**
 * compaction: folds a closing deployment and publishes its snapshot, for the generator that closes
 * the deployment. Every hour it tidies up: it checks all stacks, and removes expired records. It
 * runs no program and no provider. The handler of both platforms is
 * `shared/runtime/compaction/fold-and-publish.ts`.
 */
import * as z from 'zod'
import type { Platform } from '../../shared/ports/platform.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { createMeasuredCompact } from '../../shared/runtime/compaction/measured-compact.ts'
import type { ReconcileDeps } from './reconcile-stacks.ts'
import type { ProblemDeps } from './report-problems.ts'
import type { UsageRecorder } from '../aws/usage-recorder.ts'
import { tidyUp } from './tidy-up.ts'

/** A call by the generator that closes a deployment, or by the hourly schedule of compaction. */
const compactionCallForm = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('compact'),
    deployment: z
      .string()
      .min(1)
      .transform(id => id as DeploymentId),
  }),
  z.object({ kind: z.literal('tidy') }),
])

/**
 * Folds a closing deployment and publishes its snapshot, or tidies up. Both can be repeated. Throws
 * the errors of `compact` and `tidyUp`. After an error of `compact`, the calling generator folds
 * the deployment in its own process.
 */
export async function serveCompaction(
  resources: ProblemDeps & {
    readonly platform: Platform & Pick<ReconcileDeps, 'documents'>
    readonly usage: UsageRecorder
  },
  event: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { platform, putMetric, usage } = resources
  const call = compactionCallForm.parse(event)
  if (call.kind === 'tidy') {
    const { reconciliation } = await tidyUp(resources, env)
    return { nudged: reconciliation.nudgedStacks.length }
  }
  return usage.measure(() => {
    usage.assign(call.deployment)
    return createMeasuredCompact(platform, putMetric)(call.deployment)
  })
}
