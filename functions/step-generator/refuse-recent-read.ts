import { createError } from '../../shared/errors/error.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import type { StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { findLastRead } from '../../shared/runtime/query/find-last-read.ts'

/**
 * Refuses the run of a shared schedule if all resources of its stack were read recently, and no
 * deployment has changed the stack since then. The schedule names the period. The program is not
 * fetched for a refused run. Throws DRIFT_READ_RECENTLY.
 */
export async function refuseRecentRead(
  { platform, requests, notifier }: Pick<StackServerDeps, 'platform' | 'requests' | 'notifier'>,
  { stack, origin }: DeploymentRequest,
): Promise<void> {
  if (origin?.kind !== 'schedule' || notifier === undefined) return
  const withinMs = origin.shared?.skipReadWithinMs ?? 0
  if (withinMs === 0) return
  const { catalog, decisionLog, clock } = platform
  const { documents } = notifier
  const readAt = await findLastRead({ catalog, decisionLog, documents, requests }, stack)
  if (readAt === undefined || clock.now() - readAt >= withinMs) return
  const minutes = Math.round(withinMs / 60_000)
  throw createError(
    'DRIFT_READ_RECENTLY',
    `the resources of '${stack}' were read at ${new Date(readAt).toISOString()}, and the schedule '${origin.name}' skips stacks that were read within ${minutes} minutes`,
  )
}
