import * as z from 'zod'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { stackPathOf } from '../remote/stack-path.ts'

const limitsForm = z.object({
  items: z.array(
    z.object({
      label: z.string(),
      /** Whether other stacks may use the limit too. */
      shared: z.boolean(),
      callsPerSecond: z.number().optional(),
      /** Whether the rate is lower than usual, because the provider throttled calls. */
      slowed: z.boolean(),
      concurrency: z.number().optional(),
      /** The number of calls that run now. */
      running: z.number(),
      /** The number of deployments that use the limit now. */
      deployments: z.number(),
    }),
  ),
})

/** `limit ls`: lists the limits of provider calls that the stack used in the last day. */
export const listLimits: Handler = async (session, flags) => {
  const stack = await session.requireStack()
  const { callApi } = await session.openEngine()
  const response = await callApi({ method: 'GET', path: `${stackPathOf(stack)}/limits` })
  const { items } = limitsForm.parse(response)
  if (flags.isSet('json')) {
    session.print(JSON.stringify(items, null, 2))
    return 0
  }
  const rows = items.map(limit => [
    limit.shared ? `${limit.label} (shared)` : limit.label,
    formatRate(limit.callsPerSecond),
    limit.slowed ? 'throttled' : '',
    limit.concurrency === undefined ? '' : `${limit.running} of ${limit.concurrency}`,
    String(limit.deployments),
  ])
  const header = ['LIMIT', 'RATE', 'STATUS', 'RUNNING', 'DEPLOYMENTS']
  for (const line of formatTable(header, rows)) session.print(line)
  return 0
}

/** Formats a rate for people: in calls per second, or per minute below one call per second. */
function formatRate(callsPerSecond: number | undefined): string {
  if (callsPerSecond === undefined) return 'any'
  if (callsPerSecond >= 1) return `${Number(callsPerSecond.toFixed(1))}/s`
  return `${Number((callsPerSecond * 60).toFixed(1))}/m`
}
