import { useEffect, useState } from 'react'
import type { ShownEngineEvent, StreamEnd } from '../api/engine-events.ts'
import { followEvents, type StreamConnection } from '../api/follow-events.ts'
import { sleepUntilAborted } from '../api/sleep-until-aborted.ts'
import { useClient } from '../session/client-context.ts'
import {
  createDeploymentFold,
  type DeploymentFold,
  type ShownProgress,
} from './deployment-events.ts'

/** A deployment as its stream reports it. */
export interface StreamedDeployment {
  readonly progress: ShownProgress
  readonly connection: StreamConnection
  /** The end of the deployment. Undefined while it is open. */
  readonly end: StreamEnd | undefined
  readonly fold: DeploymentFold
}

/** The time for which changes are collected before they are shown, in ms. */
const showDelayMs = 50

const emptyProgress = createDeploymentFold().read()

/**
 * Follows the events of a deployment from its beginning. `path`: its path in the API. `isMissing`:
 * whether the deployment does not exist. A change of either starts the stream again.
 */
export function useDeploymentEvents(path: string, isMissing: boolean): StreamedDeployment {
  const { client } = useClient()
  const key = `${path} ${isMissing}`
  const [state, setState] = useState(() => createEmptyState(key))
  const current = state.key === key ? state : createEmptyState(key)
  if (current !== state) setState(current)
  const { fold } = current.deployment
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    let connection: StreamConnection = { kind: 'connecting' }
    let end: StreamEnd | undefined
    let isScheduled = false
    const show = (): void => {
      isScheduled = false
      if (signal.aborted) return
      setState({ key, deployment: { progress: fold.read(), connection, end, fold } })
    }
    const scheduleShow = (): void => {
      if (isScheduled) return
      isScheduled = true
      setTimeout(show, showDelayMs)
    }
    void followEvents(client, `${path}/stream`, {
      signal,
      wait: sleepUntilAborted,
      onMessage({ event, data }) {
        if (event === 'events') fold.add(JSON.parse(data) as ShownEngineEvent[])
        if (event === 'end') end = JSON.parse(data) as StreamEnd
        if (event !== 'alive') scheduleShow()
      },
      onConnection(next) {
        connection = next
        scheduleShow()
      },
    })
    return () => abort.abort()
  }, [client, path, key, fold])
  return current.deployment
}

function createEmptyState(key: string): { key: string; deployment: StreamedDeployment } {
  const fold = createDeploymentFold()
  const connection = { kind: 'connecting' } as const
  return { key, deployment: { progress: emptyProgress, connection, end: undefined, fold } }
}
