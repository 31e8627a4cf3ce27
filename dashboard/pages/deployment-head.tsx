import type { StreamEnd } from '../api/engine-events.ts'
import type { ProjectAndStack, ShownDeployment } from '../api/api-views.ts'
import type { ShownProgress } from '../deployment/deployment-events.ts'
import { progressTextsOf } from '../deployment/count-states.ts'
import { commandLabelOf, listChangeTexts, resultStatusOf } from '../format/deployment-status.ts'
import { StatusLabel } from '../widgets/status-label.tsx'
import { RunTimeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { DeploymentActions } from './deployment-actions.tsx'
import { DeploymentCostText } from './deployment-cost-text.tsx'
import { RequesterText } from './requester-text.tsx'
import { usePageTitle } from './use-page-title.ts'

/** Shows the result, the times and the counts of a deployment, and its actions while it is open. */
export function DeploymentHead(
  props: ProjectAndStack & {
    number: number
    /** The path of the deployment in the API. */
    path: string
    deployment: ShownDeployment | undefined
    progress: ShownProgress
    end: StreamEnd | undefined
    onChanged: () => void
  },
) {
  const { project, stack, number, path, deployment, progress, end, onChanged } = props
  const result = end?.result ?? deployment?.result
  const isOpen = deployment !== undefined && result === undefined
  const nowMs = useNow(isOpen ? 1_000 : 30_000)
  const heading = usePageTitle(`${project}/${stack} #${number}`)
  const status =
    isOpen && deployment.stop !== undefined && deployment.stop !== 'none'
      ? ({ text: 'stopping', tone: 'warn' } as const)
      : resultStatusOf(result)
  return (
    <div className="page-head deployment-head">
      <h1 ref={heading} tabIndex={-1}>
        #{number} {deployment === undefined ? '' : commandLabelOf(deployment.command)}
      </h1>
      {deployment === undefined ? null : (
        <>
          <span role="status">
            <StatusLabel status={status} />
          </span>
          <p className="page-note">
            <RunTimeText deployment={deployment} nowMs={nowMs} />
            {deployment.by === undefined ? null : <span> · by </span>}
            <RequesterText {...{ deployment, nowMs }} />
            {deployment.message === '' ? null : <span> · {deployment.message}</span>}
            {isOpen ? null : (
              <DeploymentCostText path={path} endedAt={deployment.endedAt} nowMs={nowMs} />
            )}
          </p>
          {isOpen ? (
            <DeploymentActions
              {...{ project, stack, number, onChanged }}
              stop={deployment.stop ?? 'none'}
              undelivered={deployment.undelivered ?? 0}
            />
          ) : null}
        </>
      )}
      <p className="head-counts" aria-live="polite">
        {countTextsOf(progress, { isOpen, end, deployment }).map(text => (
          <span key={text} className="tag">
            {text}
          </span>
        ))}
      </p>
    </div>
  )
}

/**
 * Returns the counts of a deployment: those of its progress while it runs, and afterwards those of
 * its summary.
 */
function countTextsOf(
  progress: ShownProgress,
  options: {
    readonly isOpen: boolean
    readonly end: StreamEnd | undefined
    readonly deployment: ShownDeployment | undefined
  },
): readonly string[] {
  const { isOpen, end, deployment } = options
  if (isOpen) return progressTextsOf(progress.counts)
  const changes = progress.changes ?? end?.changes ?? deployment?.changes ?? {}
  const failedCount = progress.counts.failed
  const pendingCount = end?.pending?.length ?? 0
  return [
    ...listChangeTexts(changes),
    ...(failedCount === 0 ? [] : [`${failedCount} failed`]),
    ...(pendingCount === 0 ? [] : [`${pendingCount} with an unknown result`]),
  ]
}
