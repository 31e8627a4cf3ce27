import { z } from 'zod'
import type { Platform } from '../../shared/ports/platform.ts'
import type { PutMetric } from '../../shared/platform/aws/metrics.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { recordCompactionLag } from '../../shared/runtime/compaction/compaction-lag.ts'
import type { StuckDeps } from './stuck-deployments.ts'
import { tidyUp } from './tidy-up.ts'

/** What a call is: of the generator that closes a deployment, or of the schedule. */
const compactionCall = z.discriminatedUnion('kind', [
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
 * Folds a deployment that is settled and publishes its snapshot, or tidies up. Both may be called
 * twice. Throws what `compact` and `tidyUp` throw; who called folds by itself then.
 */
export async function serveCompaction(
  resources: { readonly platform: Platform & StuckDeps; readonly metric: PutMetric },
  event: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { platform, metric } = resources
  const call = compactionCall.parse(event)
  if (call.kind === 'tidy') {
    const { reconciled } = await tidyUp(resources, env)
    return { nudged: reconciled.nudged.length }
  }
  // Told at each attempt: one that fails again and again is told with ever more.
  return compact(platform, call.deployment, at =>
    recordCompactionLag(metric, platform.clock.now(), at),
  )
}
