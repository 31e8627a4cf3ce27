import type { ProjectAndStack, ShownApproval } from '../api/api-views.ts'
import { approvalStatusOf } from '../format/approval-status.ts'
import { commandLabelOf, listPlannedTexts } from '../format/deployment-status.ts'
import { hrefOf } from '../routing/page-route.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { PolledSection } from '../widgets/polled-section.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'

/** Shows the plans of a stack that wait for an approval, and decided ones. */
export function StackApprovals(props: ProjectAndStack & { path: string }) {
  const { project, stack, path } = props
  return (
    <PolledSection<{ readonly items: readonly ShownApproval[] }>
      title="Plans"
      path={`${path}/approvals`}
      show={({ items }) =>
        items.length === 0 ? (
          <EmptyNote title="No plan waits for an approval">
            Require approvals with <code>antichain stack approval --require up,destroy</code>.
          </EmptyNote>
        ) : (
          <ul className="card schedule-list">
            {items.map(approval => (
              <li key={approval.request}>
                <a href={hrefOf({ kind: 'plan', project, stack, request: approval.request })}>
                  {commandLabelOf(approval.command)} of {approval.by}
                </a>
                <StatusLabel status={approvalStatusOf(approval)} />
                <span>{listPlannedTexts(approval.changes).join(', ')}</span>
                <span className="quiet">{approval.message}</span>
              </li>
            ))}
          </ul>
        )
      }
    />
  )
}
