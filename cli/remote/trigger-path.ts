import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'

/** What of triggers the command line makes, lists and removes. */
export type TriggerKind = 'webhook' | 'schedule' | 'notification'

/**
 * Where documents of a kind are at the API: webhooks and, with --all, notifications belong to no
 * stack. Throws STACK_NOT_FOUND, STACK_NOT_SELECTED.
 */
export async function resolveTriggerPath(
  session: CliSession,
  flags: Flags,
  kind: TriggerKind,
): Promise<string> {
  if (kind === 'webhook' || (kind === 'notification' && flags.is('all'))) return `/v1/${kind}s`
  const { project, stack } = stackPartsOf(await session.requireStack())
  return `/v1/stacks/${encodeURIComponent(project)}/${encodeURIComponent(stack)}/${kind}s`
}
