import { z } from 'zod'
import type { Platform } from '../../shared/ports/platform.ts'
import type { PutMetric } from '../../shared/platform/aws/metrics.ts'
import type { BlobHash, DeploymentId } from '../../shared/records/ids.ts'
import { compact } from './handle.ts'
import { tellCompactionLag } from './lag.ts'
import type { StuckDeps } from './stuck.ts'
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

/** What a call to fold a deployment comes to. */
export const compacted = z.object({
  version: z.int(),
  snapshot: z.string().transform(hash => hash as BlobHash),
})

/**
 * Folds a deployment that is settled and publishes its snapshot, or tidies up. Both may be called
 * twice. Throws what `compact` and `tidyUp` throw; who called folds by itself then.
 */
export async function serveCompaction(
  aws: { readonly platform: Platform & StuckDeps; readonly metric: PutMetric },
  event: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { platform, metric } = aws
  const call = compactionCall.parse(event)
  if (call.kind === 'tidy') {
    const { looked } = await tidyUp(aws, env)
    return { nudged: looked.nudged.length }
  }
  // Told at each attempt: one that fails again and again is told with ever more.
  return compact(platform, call.deployment, at =>
    tellCompactionLag(metric, platform.clock.now(), at),
  )
}
