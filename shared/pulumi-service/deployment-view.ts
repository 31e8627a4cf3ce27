import { type EpochMs, stackPartsOf } from '../records/ids.ts'
import type { DeploymentProgress } from './deployment-progress.ts'
import { type PulumiDeployment, pulumiDeploymentIdOf } from './pulumi-deployment.ts'
import { operationRequests } from './pulumi-operations.ts'

/** Returns a time as clients read it. */
export function isoTimeOf(at: EpochMs): string {
  return new Date(at).toISOString()
}

/** Returns a deployment as clients see it. */
export function createDeploymentView(
  deployment: PulumiDeployment,
  progress: DeploymentProgress,
): object {
  const { number, operation, inheritSettings, initiator, request } = deployment
  const { status, update } = progress
  const { project, stack } = stackPartsOf(request.stack)
  return {
    id: pulumiDeploymentIdOf(deployment),
    version: number,
    status,
    created: isoTimeOf(request.at),
    modified: isoTimeOf(update?.endedAt ?? update?.startedAt ?? request.at),
    requestedBy: { name: request.by, githubLogin: request.by, avatarUrl: '' },
    projectName: project,
    stackName: stack,
    paused: false,
    pulumiOperation: operation,
    updates: update === undefined ? [] : [updateViewOf(deployment, progress)],
    jobs: jobsOf(deployment, progress),
    ...(initiator === undefined ? {} : { initiator }),
    inheritSettings,
  }
}

function updateViewOf(
  { operation, request }: PulumiDeployment,
  { status, update }: DeploymentProgress,
): object {
  const secondsOf = (at: EpochMs | undefined): number => Math.floor((at ?? 0) / 1_000)
  return {
    id: '',
    updateID: update?.id ?? '',
    version: update?.version ?? 0,
    startTime: secondsOf(update?.startedAt),
    endTime: secondsOf(update?.endedAt),
    result: status === 'running' ? 'in-progress' : status,
    kind: operationRequests[operation].kind,
    message: request.options.message,
    environment: {},
  }
}

/** Returns the jobs of a deployment: one with one step. Before its update begins there is none. */
function jobsOf(
  { operation }: PulumiDeployment,
  { status, update }: DeploymentProgress,
): readonly object[] {
  if (update === undefined) return []
  const started = isoTimeOf(update.startedAt)
  const lastUpdated = isoTimeOf(update.endedAt ?? update.startedAt)
  const times = { status, started, lastUpdated }
  return [{ ...times, steps: [{ name: operationRequests[operation].title, ...times }] }]
}
