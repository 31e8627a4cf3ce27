import { kindsByCommand } from '../../shared/backends/update-kind.ts'
import { createError } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseNumberArgument } from '../arguments/parse-number-argument.ts'
import { formatCourse } from '../display/course-lines.ts'
import { createPaint } from '../display/paint.ts'
import type { CliSession } from '../session/session.ts'

/**
 * `deployment show`: shows the critical path of a deployment, and the parts of its duration.
 * Without a number it shows the last deployment of the stack. Throws CLI_USAGE, DEPLOYMENT_UNKNOWN.
 */
export const showDeploymentCourse: Handler = async (session, flags, [text]) => {
  const stack = await session.requireStack()
  const number =
    text === undefined
      ? await requireLastDeploymentNumber(session, stack)
      : parseNumberArgument(text, 'deployment show takes the number of a deployment')
  const { readCourse } = await session.openEngine()
  const { record, course } = await readCourse(stack, number)
  if (flags.isSet('json')) {
    session.print(JSON.stringify({ ...toDeploymentJson(record, number), ...course }, null, 2))
    return 0
  }
  const result = record.result ?? 'in progress'
  session.print(describeDeployment(record, result))
  for (const line of describeApproval(record)) session.print(line)
  if (course === undefined) session.print('The deployment has no records of steps.')
  else for (const line of formatCourse(course, createPaint(session.color))) session.print(line)
  return 0
}

/** Returns the number of the stack's last deployment. Throws DEPLOYMENT_UNKNOWN. */
export async function requireLastDeploymentNumber(
  session: CliSession,
  stack: StackId,
): Promise<number> {
  const { platform } = await session.openEngine()
  const [lastRecord] = await platform.catalog.listHistory(stack, 1)
  if (lastRecord === undefined)
    throw createError('DEPLOYMENT_UNKNOWN', 'the stack has no deployment', {
      hint: 'Deploy it with `antichain up`.',
    })
  return deploymentPartsOf(lastRecord.deployment).number
}

/** Returns the line about a deployment: its number, kind, result and requester. */
export function describeDeployment(
  { deployment, command, by }: HistoryRecord,
  result: string,
): string {
  const { number } = deploymentPartsOf(deployment)
  const requester = by === undefined ? '' : `, by ${by}`
  return `Deployment ${number}: ${kindsByCommand[command]}, ${result}${requester}`
}

/** Returns the lines about the approval of a deployment: none, or its approver, time and note. */
export function describeApproval({ approval }: HistoryRecord): readonly string[] {
  if (approval === undefined) return []
  const { by, at, note } = approval
  const time = at === undefined ? '' : ` at ${new Date(at).toISOString()}`
  return [`Approved by ${by}${time}${note === undefined ? '' : `: ${note}`}`]
}

/** Returns the fields of a history entry about its requester and its approval, as JSON. */
export function toRequesterAndApprovalJson({
  by,
  approval,
}: HistoryRecord): Readonly<Record<string, unknown>> {
  const at = approval?.at === undefined ? {} : { at: new Date(approval.at).toISOString() }
  return {
    ...(by === undefined ? {} : { by }),
    ...(approval === undefined ? {} : { approval: { ...approval, ...at } }),
  }
}

/** Returns the fields that `deployment show` and `deployment cost` print as JSON. */
export function toDeploymentJson(
  record: HistoryRecord,
  deployment: number,
): Readonly<Record<string, unknown>> {
  const { command, result, startedAt, endedAt } = record
  return {
    deployment,
    kind: kindsByCommand[command],
    ...toRequesterAndApprovalJson(record),
    result: result ?? 'in-progress',
    startTime: new Date(startedAt).toISOString(),
    ...(endedAt === undefined ? {} : { endTime: new Date(endedAt).toISOString() }),
  }
}
