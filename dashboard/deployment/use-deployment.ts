import { useMemo, useState } from 'react'
import type { ApiFailure } from '../api/api-failure.ts'
import type { ShownDeployment } from '../api/api-views.ts'
import type { StreamEnd } from '../api/engine-events.ts'
import type { StreamConnection } from '../api/follow-events.ts'
import { type PolledValue, usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'
import type { ShownProgress } from './deployment-events.ts'
import { useDeploymentEvents } from './use-deployment-events.ts'
import { type PolledOperations, useOperations } from './use-operations.ts'

/** Everything that the page of a deployment shows. */
export interface WatchedDeployment {
  readonly deployment: ShownDeployment | undefined
  readonly failure: ApiFailure | undefined
  readonly reload: () => void
  /** The operations that events report, and planned ones. */
  readonly progress: ShownProgress
  readonly connection: StreamConnection
  readonly end: StreamEnd | undefined
  readonly isEnded: boolean
  /** The operations that the records contain. */
  readonly recordedOperations: PolledValue<PolledOperations>
}

const openPollMs = 2_000

/**
 * Reads a deployment, its events and its operations, while it runs or afterwards. `isGone` reports
 * whether a failure means that the deployment does not exist.
 */
export function useDeployment(
  path: string,
  isGone: (failure: ApiFailure | undefined) => boolean,
): WatchedDeployment {
  const { client } = useClient()
  const [isEnded, setIsEnded] = useState(false)
  const {
    value: deployment,
    failure,
    reload,
  } = usePolled({
    key: path,
    // The record of an ended deployment never changes.
    revision: isEnded ? 'ended' : 'open',
    intervalMs: isEnded ? 0 : openPollMs,
    read: signal => client.read<ShownDeployment>(path, signal),
  })
  // The stream of a missing deployment is refused. It starts again when the deployment begins.
  const streamed = useDeploymentEvents(path, isGone(failure))
  const { progress: reported, connection, end, fold } = streamed
  if (isEnded !== (end !== undefined)) setIsEnded(end !== undefined)
  const recordedOperations = useOperations(path, { isEnded, fold })
  const operations = recordedOperations.value?.operations
  // `operations` is a dependency, because the fold stays the same object when operations are added.
  const progress = useMemo(
    () => (operations === undefined ? reported : fold.read()),
    [reported, operations, fold],
  )
  return { deployment, failure, reload, progress, connection, end, isEnded, recordedOperations }
}
