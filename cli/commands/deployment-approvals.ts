import * as z from 'zod'
import { approvableCommands } from '../../shared/runtime/approvals/approval-rule.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { stackPathOf } from '../remote/stack-path.ts'

const approvalForm = z.object({
  request: z.string(),
  state: z.enum(['waiting', 'approved', 'rejected', 'expired']),
  command: z.string(),
  /** The requester. */
  by: z.string(),
  expiresAt: z.number(),
  /** The numbers of planned changes, by kind, such as `create`. */
  changes: z.record(z.string(), z.number()),
  decision: z.looseObject({ by: z.string(), note: z.string().optional() }).optional(),
  /** The key of the request that applies the approved plan. */
  approvedRequest: z.string().optional(),
})

/**
 * `deployment approvals`: lists the requests of a stack whose plans wait for an approval, or were
 * approved, rejected or expired.
 */
export const listApprovalsOfStack: Handler = async (session, flags) => {
  const stack = await session.requireStack()
  const { callApi } = await session.openEngine()
  const response = await callApi({ method: 'GET', path: `${stackPathOf(stack)}/approvals` })
  const { items } = z.object({ items: z.array(z.looseObject(approvalForm.shape)) }).parse(response)
  if (flags.isSet('json')) {
    session.print(JSON.stringify(items, null, 2))
    return 0
  }
  const rows = items.map(({ request, state, command, by, expiresAt, decision }) => [
    request,
    command,
    decision === undefined ? state : `${state} by ${decision.by}`,
    by,
    new Date(expiresAt).toISOString(),
  ])
  const header = ['REQUEST', 'COMMAND', 'STATE', 'REQUESTED BY', 'EXPIRES']
  for (const line of formatTable(header, rows)) session.print(line)
  return 0
}

/** Creates the handler of `deployment approve` or `deployment reject`. */
export function createDecisionHandler(verdict: 'approved' | 'rejected'): Handler {
  return async (session, flags, [request = '']) => {
    const stack = await session.requireStack()
    const { callApi } = await session.openEngine()
    const note = flags.text('note')
    const response = await callApi({
      method: 'POST',
      path: `${stackPathOf(stack)}/requests/${encodeURIComponent(request)}/approval`,
      body: { verdict, ...(note === undefined ? {} : { note }) },
    })
    if (flags.isSet('json')) {
      session.print(JSON.stringify(response, null, 2))
      return 0
    }
    const { command } = approvalForm.parse(response)
    session.print(
      verdict === 'approved'
        ? `Approved the plan of '${request}': its ${command} begins now.`
        : `Rejected the plan of '${request}': its ${command} does not take place.`,
    )
    return 0
  }
}

const ruleForm = z.object({
  commands: z.array(z.enum(approvableCommands)),
  expiresAfterHours: z.number(),
})

/** `stack approval`: shows the rule for approvals of a stack, or changes it. */
export const changeApprovalRule: Handler = async (session, flags) => {
  const stack = await session.requireStack()
  const { callApi } = await session.openEngine()
  const path = `${stackPathOf(stack)}/approval-rule`
  const currentRule = ruleForm.parse(await callApi({ method: 'GET', path }))
  const [commandsText, hoursText] = [flags.text('require'), flags.text('expireHours')]
  const isChange = commandsText !== undefined || hoursText !== undefined
  const rule = {
    commands: commandsText === undefined ? currentRule.commands : parseCommands(commandsText),
    expiresAfterHours:
      hoursText === undefined ? currentRule.expiresAfterHours : parseHours(hoursText),
  }
  if (isChange) await callApi({ method: 'PUT', path, body: rule })
  if (flags.isSet('json')) session.print(JSON.stringify(rule, null, 2))
  else if (rule.commands.length === 0) session.print('No command needs an approval.')
  else
    session.print(
      `Commands that need an approval: ${rule.commands.join(', ')}. Approvals of a plan are accepted for ${rule.expiresAfterHours} hours after its preview.`,
    )
  return 0
}

/** Returns the commands of `--require`. Throws CLI_USAGE. */
function parseCommands(text: string): readonly (typeof approvableCommands)[number][] {
  if (text === 'none') return []
  const commands = z.array(z.enum(approvableCommands)).safeParse([...new Set(text.split(','))])
  if (commands.success) return commands.data
  throw createError(
    'CLI_USAGE',
    `--require takes up, destroy, both with a comma, or none; not '${text}'`,
  )
}

/** Returns the hours of `--expire-hours`. Throws CLI_USAGE. */
function parseHours(text: string): number {
  const hours = Number(text)
  if (text.trim() !== '' && hours > 0) return hours
  throw createError('CLI_USAGE', `--expire-hours takes a number of hours, not '${text}'`)
}
