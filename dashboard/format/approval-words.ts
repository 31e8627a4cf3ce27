import type { ShownApproval } from '../api/api-views.ts'
import type { StatusWord } from './deployment-words.ts'

const approvalWords: Readonly<Record<ShownApproval['state'], StatusWord>> = {
  waiting: { text: 'waits for an approval', tone: 'busy' },
  approved: { text: 'approved', tone: 'good' },
  rejected: { text: 'rejected', tone: 'bad' },
  expired: { text: 'expired', tone: 'quiet' },
}

/** Returns the status of a plan. Pure. */
export function approvalWordOf({ state }: Pick<ShownApproval, 'state'>): StatusWord {
  return approvalWords[state]
}
