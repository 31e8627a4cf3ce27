import type { Targeting } from '../../../records/targeting.ts'
import type { DeployInput } from '../../request.ts'

/**
 * Returns the targeting of a request if other deployments may run beside its deployment. Returns
 * undefined for a request that needs the whole stack. Such a request is an import, has no targets,
 * has excludes, has answers about pending creates, comes from a queue, or runs in several
 * processes. Pure.
 */
export function findSharedTargeting(request: DeployInput): Targeting | undefined {
  const { options, pendingCreates, functionLimitMs, key } = request
  const { targeting, command, execute } = options
  if (targeting === undefined || targeting.targets.length === 0 || command === 'import')
    return undefined
  const hasExcludes = targeting.excludes.length > 0 || targeting.excludeProtected
  const hasAnswers = pendingCreates.mustClearOthers || pendingCreates.existingIds.size > 0
  const runsInOneProcess = execute === 'here' && functionLimitMs === undefined && key === undefined
  return hasExcludes || hasAnswers || !runsInOneProcess ? undefined : targeting
}
