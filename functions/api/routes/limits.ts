import * as z from 'zod'
import { currentRateOf, type LimitRecord } from '../../../shared/engine/call-limits/limit-record.ts'
import { parseLimitRecord } from '../../../shared/engine/call-limits/limit-records.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../../../shared/records/ids.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { readDocumentsOf } from '../../../shared/triggers/read-documents.ts'
import { type ApiPorts, defineRoute, stackOf } from '../../../shared/api/define-route.ts'

/** A limit of provider calls that a stack used in the last day. */
const limitView = z.object({
  label: z.string(),
  /** Whether other stacks may use the limit too. */
  shared: z.boolean(),
  /** Calls a second that may start now. Absent: any number. */
  callsPerSecond: z.number().optional(),
  /** Whether the rate is lower than that of the rule, because the provider throttled calls. */
  slowed: z.boolean(),
  /** Calls that may run at the same time. Absent: any number. */
  concurrency: z.number().optional(),
  /** Calls that run now. 0 for a limit without a concurrency, because its calls are not counted. */
  running: z.number(),
  /** Deployments that use the limit now. */
  deployments: z.number(),
})

/** Routes for the limits of provider calls. */
export const limitRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/limits',
    role: 'read',
    scope: 'stack',
    summary: 'The limits of provider calls that a stack used in the last day',
    output: z.object({ items: z.array(limitView) }),
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const ownRecords = await readLimits(ports, id)
      const allShared = await readLimits(ports, '*')
      const sharedRecords = allShared.filter(record => isUsedBy(record, id))
      const now = ports.clock.now()
      const items = [
        ...ownRecords.map(record => limitViewOf(record, { shared: false, now })),
        ...sharedRecords.map(record => limitViewOf(record, { shared: true, now })),
      ]
      return { json: { items: items.toSorted((a, b) => (a.label < b.label ? -1 : 1)) } }
    },
  }),
]

async function readLimits(
  { callLimits }: Pick<ApiPorts, 'callLimits'>,
  scope: StackId | '*',
): Promise<readonly LimitRecord[]> {
  const records: LimitRecord[] = []
  for await (const { value } of readDocumentsOf(callLimits, 'call-limit', scope)) {
    const record = parseLimitRecord(value)
    if (record !== undefined) records.push(record)
  }
  return records
}

/** Reports whether a deployment of the stack has used a limit that other stacks share. */
function isUsedBy({ deployments }: LimitRecord, stack: StackId): boolean {
  const ids = Object.keys(deployments) as DeploymentId[]
  return ids.some(deployment => deploymentPartsOf(deployment).stack === stack)
}

/** The time after its last call for which a deployment counts as a user of a limit, in ms. */
const activeMs = 60_000

function limitViewOf(
  record: LimitRecord,
  { shared, now }: { readonly shared: boolean; readonly now: number },
): z.output<typeof limitView> {
  const { label, rule, slowdown, calls, deployments } = record
  const callsPerSecond = currentRateOf(record)
  const activeDeployments = Object.values(deployments).filter(
    ({ seenAt }) => now - seenAt < activeMs,
  )
  return {
    label,
    shared,
    ...(callsPerSecond === undefined ? {} : { callsPerSecond }),
    slowed: slowdown !== undefined,
    ...(rule.concurrency === undefined ? {} : { concurrency: rule.concurrency }),
    running: Object.values(calls).filter(until => until > now).length,
    deployments: activeDeployments.length,
  }
}
