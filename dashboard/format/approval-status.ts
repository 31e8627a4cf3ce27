import type { ShownApproval } from '../api/api-views.ts'
import type { StatusDisplay } from './deployment-status.ts'

const approvalLabels: Readonly<Record<ShownApproval['state'], StatusDisplay>> = {
  waiting: { text: 'waits for an approval', tone: 'busy' },
  approved: { text: 'approved', tone: 'good' },
  rejected: { text: 'rejected', tone: 'bad' },
  expired: { text: 'expired', tone: 'quiet' },
}

/** Returns the status of a plan. Pure. */
export function approvalStatusOf({ state }: Pick<ShownApproval, 'state'>): StatusDisplay {
  return approvalLabels[state]
}
