import type { OutgoingMessage } from '../../ports/notifications.ts'
import type { CommitStatusReply } from '../../records/notification.ts'
import type { DeploymentRequest } from '../../records/stack-request.ts'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { toPrintable } from '../printable.ts'

/** Maximum number of lines in a comment, because the queue limits the size of messages. */
const linesMax = 150
/** Maximum number of characters in a line of a comment. */
const lineCharsMax = 300

/**
 * Creates the reply to the change that triggered a request. Returns undefined for a request of
 * another origin. Without `lines` no comment is written to the pull request.
 */
export function createReply(
  { stack, key, origin }: Pick<DeploymentRequest, 'stack' | 'key' | 'origin'>,
  state: CommitStatusReply['state'],
  { description, page, lines }: Pick<CommitStatusReply, 'description' | 'page' | 'lines'>,
): OutgoingMessage | undefined {
  if (origin?.kind !== 'webhook') return undefined
  const { webhook, repository, commit, pullRequest } = origin
  const reply: CommitStatusReply = {
    webhook,
    stack,
    request: key,
    repository,
    commit,
    state,
    description: toPrintable(description, triggerLimits.statusCharsMax),
    ...(page === undefined ? {} : { page }),
    ...(pullRequest === undefined ? {} : { pullRequest }),
    ...(lines === undefined ? {} : { lines: lines.slice(0, linesMax).map(shortenLine) }),
  }
  return { kind: 'reply', reply }
}

function shortenLine(line: string): string {
  return line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)}…` : line
}
