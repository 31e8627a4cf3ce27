import * as z from 'zod'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'

const findingForm = z.object({
  stack: z.string(),
  /** The result of the newest run, such as `checked` or `failed`. */
  status: z.string(),
  /** The reason of a run that was skipped or failed. */
  reason: z.string().optional(),
  schedule: z.string().optional(),
  /**
   * The newest run that read all resources. `count`: the number of resources with drift. `reads`:
   * the number of resources that the run read.
   */
  found: z
    .object({ at: z.number(), count: z.number(), urns: z.array(z.string()), reads: z.number() })
    .loose()
    .optional(),
})
type Finding = z.infer<typeof findingForm>

/** `drift ls`: lists the drift of all stacks, as the newest scheduled runs found it. */
export const listDrift: Handler = async (session, flags) => {
  const project = flags.text('project')
  const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`
  const allFindings = await listAllItems(
    await session.openEngine(),
    `/v1/drift${query}`,
    findingForm,
  )
  const findings = flags.isSet('drifted')
    ? allFindings.filter(({ status, found }) => status === 'failed' || (found?.count ?? 0) > 0)
    : allFindings
  if (flags.isSet('json')) {
    session.print(JSON.stringify(findings, null, 2))
    return 0
  }
  const rows = findings.map(finding => [
    finding.stack,
    describeDrift(finding),
    finding.found === undefined ? '-' : new Date(finding.found.at).toISOString(),
    finding.status,
    finding.schedule ?? '-',
    finding.reason ?? '',
  ])
  const header = ['STACK', 'DRIFT', 'READ AT', 'LAST RUN', 'SCHEDULE', 'REASON']
  for (const line of formatTable(header, rows)) session.print(line)
  const driftedCount = allFindings.filter(({ found }) => (found?.count ?? 0) > 0).length
  const readCount = allFindings.reduce((sum, { found }) => sum + (found?.reads ?? 0), 0)
  session.print('')
  session.print(
    `${driftedCount} of ${allFindings.length} stacks have drift. The last runs of all stacks read ${readCount} resources.`,
  )
  return 0
}

function describeDrift({ found }: Finding): string {
  if (found === undefined) return 'unknown'
  if (found.count === 0) return 'none'
  return `${found.count} ${found.count === 1 ? 'resource' : 'resources'}`
}
