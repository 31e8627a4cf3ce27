import * as z from 'zod'
import { readHistoryRecord } from '../engine/deployment/retention/read-history-and-versions.ts'
import type { StackRecord } from '../ports/catalog.ts'
import { countChanges } from '../records/change-counts.ts'
import { deploymentPartsOf, type StackId } from '../records/ids.ts'
import { isEditRequest, type RequestRecord } from '../records/stack-request.ts'
import { listSchedulesOf, readRunsOfSchedule } from '../runtime/query/scheduled-drift.ts'
import { remedyRequestKeyOf } from '../triggers/trigger-requests.ts'
import { isoTimeOf } from './deployment-view.ts'
import { engineDeploymentPrefix, enginePreviewPrefix, statusOf } from './deployment-updates.ts'
import {
  findPulumiDeployment,
  pulumiDeploymentIdOf,
  readPulumiDeployments,
} from './pulumi-deployment.ts'
import type { ServicePorts } from './service-route.ts'

/** Maximum number of deployments of clients that are searched for drift runs, newest first. */
const deploymentsReadMax = 100

const driftUpdateView = z.object({
  updateId: z.string(),
  resourceChanges: z.record(z.string(), z.number()).optional(),
  modified: z.string(),
  status: z.string(),
})

/** The form of a drift run as clients see it. */
export const driftRunView = z.object({
  id: z.string(),
  driftDetected: z.boolean(),
  created: z.string(),
  status: z.string(),
  deploymentId: z.string().optional(),
  deploymentVersion: z.number().optional(),
  detectUpdate: driftUpdateView.optional(),
  remediateUpdate: driftUpdateView.optional(),
})

type DriftRunView = z.infer<typeof driftRunView>

/** The form of the drift status of a stack as clients see it. */
export const driftStatusView = z.object({
  driftDetected: z.boolean(),
  /** The id of the latest successful run. Empty without one. */
  latestDriftRun: z.string(),
  runInProgress: z.boolean(),
})

type DriftStatusView = z.infer<typeof driftStatusView>

/** A run that detects drift: a refresh that is a preview. */
interface DriftRun {
  readonly id: string
  readonly record: RequestRecord
  /** The number of the deployment of a client. Absent for the run of a schedule. */
  readonly number?: number
}

/** The ports from which the drift runs of a stack are read. */
export type DriftRunPorts = Pick<ServicePorts, 'documents' | 'requests' | 'catalog'>

/** Returns the drift status of a stack as clients see it. */
export async function readDriftStatus(
  ports: DriftRunPorts,
  stack: StackRecord,
): Promise<DriftStatusView> {
  const runs = await listDriftRuns(ports, stack)
  const latest = runs.find(run => statusOfRun(run) === 'succeeded')
  return {
    driftDetected: latest !== undefined && hasDrift(latest),
    latestDriftRun: latest?.id ?? '',
    runInProgress: runs.some(({ record }) => record.end === undefined),
  }
}

/**
 * Returns a page of the drift runs of a stack as clients see them, newest first. `first` is the
 * index of its first run, and `total` the number of all runs.
 */
export async function readDriftRuns(
  ports: DriftRunPorts,
  stack: StackRecord,
  { first, size }: { readonly first: number; readonly size: number },
): Promise<{ readonly driftRuns: readonly DriftRunView[]; readonly total: number }> {
  const runs = await listDriftRuns(ports, stack)
  const driftRuns: DriftRunView[] = []
  for (const run of runs.slice(first, first + size)) driftRuns.push(await viewOf(ports, run))
  return { driftRuns, total: runs.length }
}

/** Returns the drift runs of a stack, newest first. */
async function listDriftRuns(
  ports: DriftRunPorts,
  stack: StackRecord,
): Promise<readonly DriftRun[]> {
  const runs = [
    ...(await listDeploymentRuns(ports, stack)),
    ...(await listScheduleRuns(ports, stack.id)),
  ]
  return runs.toSorted((a, b) => b.record.request.at - a.record.request.at)
}

async function listDeploymentRuns(
  ports: DriftRunPorts,
  stack: StackRecord,
): Promise<readonly DriftRun[]> {
  const runs: DriftRun[] = []
  let readCount = 0
  for await (const stored of readPulumiDeployments(ports, stack)) {
    readCount += 1
    if (readCount > deploymentsReadMax) break
    const deployment = await findPulumiDeployment(ports, stack, stored)
    if (deployment?.operation !== 'detect-drift') continue
    const { number, request, end } = deployment
    const record = { request, ...(end === undefined ? {} : { end }) }
    runs.push({ id: pulumiDeploymentIdOf(deployment), number, record })
  }
  return runs
}

/** Returns the newest runs of the existing schedules. */
async function listScheduleRuns(
  ports: DriftRunPorts,
  stack: StackId,
): Promise<readonly DriftRun[]> {
  const runs: DriftRun[] = []
  for (const stored of await listSchedulesOf(ports, stack))
    for await (const run of readRunsOfSchedule(ports, stack, stored)) {
      const { name, isShared, dueAt, request, end } = run
      const id = `${isShared ? 'shared-' : ''}${name}-${dueAt}`
      runs.push({ id, record: { request, ...(end === undefined ? {} : { end }) } })
    }
  return runs
}

function hasDrift({ record: { end } }: DriftRun): boolean {
  // The changes of a failed run are incomplete.
  if (end?.kind !== 'previewed' || end.result !== 'succeeded') return false
  return countChanges(end.changes) > 0
}

async function viewOf(ports: DriftRunPorts, run: DriftRun): Promise<DriftRunView> {
  const { id, number, record } = run
  const { request, end } = record
  const created = isoTimeOf(request.at)
  const status = statusOfRun(run)
  const changes = end?.kind === 'previewed' ? end.changes : {}
  const updateId = number === undefined ? '' : `${enginePreviewPrefix}${number}`
  const detectUpdate = { updateId, resourceChanges: changes, modified: created, status }
  const remediateUpdate = await findRemedy(ports, record)
  return {
    id,
    driftDetected: hasDrift(run),
    created,
    status,
    ...(number === undefined ? {} : { deploymentId: id, deploymentVersion: number }),
    ...(end?.kind === 'previewed' ? { detectUpdate } : {}),
    ...(remediateUpdate === undefined ? {} : { remediateUpdate }),
  }
}

function statusOfRun({ record: { end } }: DriftRun): string {
  if (end === undefined) return 'running'
  return end.kind === 'previewed' && end.result === 'succeeded' ? 'succeeded' : 'failed'
}

/** Returns the update that was requested to remove the drift of a run, or undefined if none was. */
async function findRemedy(
  { requests, catalog }: DriftRunPorts,
  { request }: RequestRecord,
): Promise<z.infer<typeof driftUpdateView> | undefined> {
  if (isEditRequest(request) || request.origin?.kind !== 'schedule') return undefined
  const remedy = await requests.find(request.stack, remedyRequestKeyOf(request.key))
  if (remedy === undefined) return undefined
  const modified = isoTimeOf(remedy.request.at)
  if (remedy.end?.kind !== 'started')
    return { updateId: '', modified, status: remedy.end === undefined ? 'running' : 'failed' }
  const record = await readHistoryRecord(catalog, remedy.end.deployment)
  return {
    updateId: `${engineDeploymentPrefix}${deploymentPartsOf(remedy.end.deployment).number}`,
    ...(record === undefined
      ? { modified, status: 'failed' }
      : {
          resourceChanges: record.changes ?? {},
          status: statusOf(record),
          modified: isoTimeOf(record.endedAt ?? record.startedAt),
        }),
  }
}
