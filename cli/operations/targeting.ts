import { createError } from '../../shared/errors/error.ts'
import type { Targeting } from '../../shared/records/targeting.ts'
import type { Flags } from '../arguments/flags.ts'

/**
 * Returns the resources that the flags select, or undefined for all. Throws CLI_USAGE for
 * contradictory flags.
 */
export function readTargeting(flags: Flags): Targeting | undefined {
  const excludeProtected = flags.isSet('excludeProtected')
  const targetsToReplace = flags.list('targetReplace')
  const [targets, excludes] = [flags.list('target'), flags.list('exclude')]
  if (targets.length > 0 && excludes.length > 0)
    throw createError('CLI_USAGE', '--target and --exclude cannot be used together')
  if (targets.length > 0 && excludeProtected)
    throw createError('CLI_USAGE', '--target and --exclude-protected cannot be used together')
  const targeting: Targeting = {
    targets: [...targets, ...targetsToReplace],
    excludes,
    replaces: [...flags.list('replace'), ...targetsToReplace],
    targetDependents: flags.isSet('targetDependents'),
    excludeDependents: flags.isSet('excludeDependents'),
    excludeProtected,
  }
  const { replaces } = targeting
  const areListsEmpty = [targeting.targets, excludes, replaces].every(list => list.length === 0)
  return areListsEmpty && !excludeProtected ? undefined : targeting
}
