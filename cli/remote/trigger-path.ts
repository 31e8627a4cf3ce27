import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { stackPathOf } from './stack-path.ts'

/** The kinds of JSON documents in the API that define a trigger or a notification. */
export type TriggerDocumentKind = 'webhook' | 'schedule' | 'notification'

/**
 * Returns the path of a kind of document at the API. Webhooks belong to no stack, and neither do
 * schedules and notifications with --all. Throws STACK_NOT_FOUND, STACK_NOT_SELECTED.
 */
export async function resolveTriggerPath(
  session: CliSession,
  flags: Flags,
  kind: TriggerDocumentKind,
): Promise<string> {
  if (kind === 'webhook' || flags.isSet('all')) return `/v1/${kind}s`
  return `${stackPathOf(await session.requireStack())}/${kind}s`
}
