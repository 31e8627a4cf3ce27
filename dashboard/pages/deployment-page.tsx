import { apiPathOf, type ProjectAndStack } from '../api/api-views.ts'
import { useDeployment } from '../deployment/use-deployment.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { DeploymentHead } from './deployment-head.tsx'
import { DeploymentTabs } from './deployment-tabs.tsx'
import { GoneNote, isGone } from './gone-note.tsx'
import { MessageList } from './message-list.tsx'

/** Shows a deployment, while it runs or afterwards. */
export function DeploymentPage({ project, stack, number }: ProjectAndStack & { number: number }) {
  const stackPath = apiPathOf({ project, stack })
  const path = `${stackPath}/deployments/${number}`
  const watched = useDeployment(path, isGone)
  const { deployment, failure, progress, connection, end, reload } = watched
  const streamFailure = connection.kind === 'refused' ? connection.failure : undefined
  const goneFailure = [failure, streamFailure].find(isGone)
  if (goneFailure !== undefined)
    return <GoneNote failure={goneFailure} subject="deployment" isAwaited />
  // The note about the broken connection already explains this failure.
  const isExplained = failure?.status === 0 && connection.kind === 'broken'
  const errors = progress.messages.filter(({ severity }) => severity === 'error')
  return (
    <>
      <Breadcrumbs project={project} stack={stack} isStackPage={false} />
      <DeploymentHead
        {...{ project, stack, number, path, deployment, progress, end }}
        onChanged={reload}
      />
      {failure === undefined || isExplained ? null : <FailureNote failure={failure} />}
      <ConnectionNote connection={connection} />
      {errors.length === 0 ? null : <MessageList title="Errors" messages={errors.slice(0, 5)} />}
      <DeploymentTabs {...{ watched, path, stackPath }} />
    </>
  )
}
