import type { ShownDeployment } from '../api/api-views.ts'
import { AgeText } from '../widgets/time-text.tsx'

/** Shows the requester of a deployment, and the approver of its plan with the time. */
export function RequesterText({
  deployment: { by, approval },
  nowMs,
}: {
  deployment: Pick<ShownDeployment, 'by' | 'approval'>
  nowMs: number
}) {
  return (
    <>
      {by}
      {approval === undefined ? null : (
        <span className="quiet" title={approval.note}>
          {by === undefined ? '' : ' · '}approved by {approval.by}{' '}
          {approval.at === undefined ? null : <AgeText timeMs={approval.at} nowMs={nowMs} />}
        </span>
      )}
    </>
  )
}
