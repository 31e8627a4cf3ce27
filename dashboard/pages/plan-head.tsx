import { allowsRole, type ProjectAndStack, type ShownApproval } from '../api/api-views.ts'
import type { StreamEnd } from '../api/engine-events.ts'
import { approvalStatusOf } from '../format/approval-status.ts'
import { commandLabelOf, listPlannedTexts, resultStatusOf } from '../format/deployment-status.ts'
import { useClient } from '../session/client-context.ts'
import { ConfirmButton } from '../widgets/confirm-button.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { AgeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { usePageTitle } from './use-page-title.ts'

interface PlanHeadProps extends ProjectAndStack {
  /** The path of the request in the API. */
  path: string
  /** Undefined for a preview that needs no approval. */
  approval: ShownApproval | undefined
  end: StreamEnd | undefined
  onChanged: () => void
}

/** Shows the state of a plan, its counts, and the buttons that decide about it. */
export function PlanHead(props: PlanHeadProps) {
  const { project, stack, path, approval, end, onChanged } = props
  const nowMs = useNow(30_000)
  const heading = usePageTitle(`${project}/${stack}: plan`)
  const status =
    approval === undefined
      ? end === undefined
        ? ({ text: 'previewing', tone: 'busy' } as const)
        : resultStatusOf(end.result)
      : approvalStatusOf(approval)
  const changes = approval?.changes ?? end?.changes ?? {}
  return (
    <div className="page-head deployment-head">
      <h1 ref={heading} tabIndex={-1}>
        Plan{approval === undefined ? '' : ` of ${commandLabelOf(approval.command)}`}
      </h1>
      <span role="status">
        <StatusLabel status={status} />
      </span>
      {approval === undefined ? null : (
        <p className="page-note">
          requested by {approval.by} <AgeText timeMs={approval.at} nowMs={nowMs} />
          {approval.message === '' ? null : <span> · {approval.message}</span>}
          <DecisionText approval={approval} />
        </p>
      )}
      {approval?.state === 'waiting' ? <PlanActions {...{ path, onChanged }} /> : null}
      <p className="head-counts">
        {listPlannedTexts(changes).map(text => (
          <span key={text} className="tag">
            {text}
          </span>
        ))}
      </p>
    </div>
  )
}

function DecisionText({ approval }: { approval: ShownApproval }) {
  const { decision, state, expiresAt } = approval
  if (decision !== undefined)
    return (
      <span>
        {' · '}
        {state} by {decision.by}
        {decision.note === undefined ? '' : `: ${decision.note}`}
      </span>
    )
  const time = new Date(expiresAt).toLocaleString()
  return <span>{state === 'expired' ? ` · expired ${time}` : ` · expires ${time}`}</span>
}

function PlanActions({ path, onChanged }: { path: string; onChanged: () => void }) {
  const { client, permissions } = useClient()
  if (!allowsRole(permissions, 'approve'))
    return (
      <p className="head-action quiet">
        A decision needs a token with the role <b>approve</b>
      </p>
    )
  const decide = async (verdict: 'approved' | 'rejected'): Promise<void> => {
    await client.send(`${path}/approval`, { verdict })
    onChanged()
  }
  return (
    <div className="head-action action-buttons">
      <ConfirmButton
        label="Approve…"
        title="Approve this plan?"
        action="Approve plan"
        refuseLabel="Do not decide"
        isDanger={false}
        run={() => decide('approved')}
      >
        A server applies exactly the steps of this plan. If the stack has changed meanwhile, a step
        outside the plan fails, and nothing outside of it is changed.
      </ConfirmButton>
      <ConfirmButton
        label="Reject…"
        title="Reject this plan?"
        action="Reject plan"
        refuseLabel="Do not decide"
        isDanger
        run={() => decide('rejected')}
      >
        Nothing is changed, and the plan can never be approved. Another request makes a new plan.
      </ConfirmButton>
    </div>
  )
}
