import * as z from 'zod'
import type { StoredDocument } from '../../../shared/ports/documents.ts'
import { countChanges } from '../../../shared/records/change-counts.ts'
import { type StackId, stackPartsOf } from '../../../shared/records/ids.ts'
import type { RequestEnd } from '../../../shared/records/stack-request.ts'
import {
  findLatestDriftRuns,
  readTimeOf,
  type ScheduledDriftRun,
} from '../../../shared/runtime/query/scheduled-drift.ts'
import { readDocumentsOf } from '../../../shared/triggers/read-documents.ts'
import { listAllStacks, portsOfStack } from '../../../shared/runtime/groups/port-groups.ts'
import { coversStack } from '../../../shared/api/authorization.ts'
import { type ApiPorts, defineRoute } from '../../../shared/api/define-route.ts'
import { createPageForm, cutResultPage, pageQuery } from '../../../shared/api/pages.ts'

/** The drift of a stack, as the newest scheduled runs found it. */
const driftFindingView = z.object({
  /** `<project>/<stack>`. */
  stack: z.string(),
  /** The result of the newest run. `unknown`: no schedule has looked for drift. */
  status: z.enum(['unknown', 'waiting', 'checked', 'skipped', 'failed']),
  /** The reason of a run that was skipped or failed. */
  reason: z.string().optional(),
  /** The schedule of the newest run. */
  schedule: z.string().optional(),
  /** The newest run that read all resources. Absent without one. */
  found: z
    .object({
      at: z.number(),
      request: z.string(),
      /** The number of resources that differ from their records, and some of their URNs. */
      count: z.number(),
      urns: z.array(z.string()),
      /** The number of resources that plugins manage. The run read each of them with one call. */
      reads: z.number(),
    })
    .optional(),
})

/** The route that lists the drift of all stacks of a token. */
export const driftListRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/drift',
    role: 'read',
    scope: 'any',
    summary: 'List the drift of the stacks of the token, ordered by id',
    query: z.object({ ...pageQuery, project: z.string().max(100).optional() }),
    output: createPageForm(driftFindingView),
    run: async (ports, { caller, query }) => {
      const { stacks } = await listAllStacks(ports, query.project)
      const page = cutResultPage(
        stacks.filter(({ id }) => coversStack(caller.stacks, id)),
        query,
      )
      const sharedByPorts = new Map<ApiPorts, Promise<readonly StoredDocument[]>>()
      const items = await Promise.all(
        page.items.map(async ({ id }) => {
          const groupPorts = portsOfStack(ports, id)
          const sharedSchedules = sharedByPorts.get(groupPorts) ?? readSharedSchedules(groupPorts)
          sharedByPorts.set(groupPorts, sharedSchedules)
          return readFinding(groupPorts, id, await sharedSchedules)
        }),
      )
      return { json: { ...page, items } }
    },
  }),
]

async function readSharedSchedules({
  documents,
}: Pick<ApiPorts, 'documents'>): Promise<readonly StoredDocument[]> {
  const sharedSchedules: StoredDocument[] = []
  for await (const stored of readDocumentsOf(documents, 'schedule', '*'))
    sharedSchedules.push(stored)
  return sharedSchedules
}

async function readFinding(
  ports: Pick<ApiPorts, 'documents' | 'requests'>,
  id: StackId,
  sharedSchedules: readonly StoredDocument[],
): Promise<z.infer<typeof driftFindingView>> {
  const schedules = [...sharedSchedules]
  for await (const stored of readDocumentsOf(ports.documents, 'schedule', id))
    schedules.push(stored)
  const { latest, latestRead } = await findLatestDriftRuns(ports, id, schedules)
  const { project, stack } = stackPartsOf(id)
  const name = `${project}/${stack}`
  if (latest === undefined) return { stack: name, status: 'unknown' }
  const finding = { stack: name, ...statusOf(latest), schedule: latest.name }
  if (latestRead === undefined) return finding
  const { changes, urns = [], resourceCount: reads = 0 } = latestRead.end
  const { key: request } = latestRead.request
  const at = readTimeOf(latestRead)
  return {
    ...finding,
    found: { at, request, count: countChanges(changes), urns: [...urns], reads },
  }
}

function statusOf({
  end,
}: ScheduledDriftRun): Pick<z.infer<typeof driftFindingView>, 'status' | 'reason'> {
  if (end === undefined) return { status: 'waiting' }
  if (end.kind === 'previewed' && end.result === 'succeeded') return { status: 'checked' }
  const isSkipped = end.kind === 'refused' && end.code === 'DRIFT_READ_RECENTLY'
  return { status: isSkipped ? 'skipped' : 'failed', reason: reasonOf(end) }
}

function reasonOf(end: RequestEnd): string {
  if (end.kind === 'refused') return `${end.code}: ${end.message}`
  if (end.kind === 'previewed') return end.errors[0] ?? `the run has the result ${end.result}`
  return `the request has the result ${end.kind}`
}
