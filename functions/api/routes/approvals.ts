import * as z from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { EpochMs } from '../../../shared/records/ids.ts'
import {
  approvalRuleForm,
  approvalRuleKeyOf,
  readApprovalRule,
} from '../../../shared/runtime/approvals/approval-rule.ts'
import {
  approvalStateOf,
  listApprovals,
  type StoredApproval,
  approvedKeyOf,
} from '../../../shared/runtime/approvals/stored-approval.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { toPrintable } from '../../../shared/triggers/printable.ts'
import { decideApproval, requireApproval } from '../decide-approval.ts'
import { defineRoute, stackOf } from '../../../shared/api/define-route.ts'

const stackPath = '/v1/stacks/{project}/{stack}'
const approvalPath = `${stackPath}/requests/{key}/approval`

/** An approval as the API shows it. */
const approvalView = z.object({
  /** The key of the request that waits. */
  request: z.string(),
  state: z.enum(['waiting', 'approved', 'rejected', 'expired']),
  command: z.string(),
  message: z.string(),
  /** The requester, for display. */
  by: z.string(),
  /** The time of the preview, in ms since 1970. */
  at: z.number(),
  expiresAt: z.number(),
  changes: z.record(z.string(), z.number()),
  /** The decision; absent before it. */
  decision: z.object({ by: z.string(), at: z.number(), note: z.string().optional() }).optional(),
  /** The key of the request that applies the approved plan. */
  approvedRequest: z.string().optional(),
})

const decisionForm = z.strictObject({
  verdict: z.enum(['approved', 'rejected']),
  note: z
    .string()
    .max(apiLimits.approvalNoteCharsMax)
    .transform(note => toPrintable(note, apiLimits.approvalNoteCharsMax))
    .optional(),
})

/** Routes for the approvals of a stack: its rule, the plans that wait, and decisions about them. */
export const approvalRoutes = [
  defineRoute({
    method: 'GET',
    path: `${stackPath}/approvals`,
    role: 'read',
    scope: 'stack',
    summary: 'List the requests that wait for an approval, and those whose plan was decided',
    output: z.object({ items: z.array(approvalView) }),
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const now = ports.clock.now()
      const approvals = await listApprovals(ports.documents, id)
      return { json: { items: approvals.map(approval => approvalViewOf(approval, now)) } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: approvalPath,
    role: 'read',
    scope: 'stack',
    summary: 'Get the approval for which a request waits, or its outcome',
    output: approvalView,
    run: async (ports, { params }) => {
      const { approval } = await requireApproval(ports, stackOf(params), params['key'] ?? '')
      return { json: approvalViewOf(approval, ports.clock.now()) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: approvalPath,
    role: 'approve',
    scope: 'stack',
    summary:
      'Approve or reject the plan of a request. The requester cannot approve it. A repeated decision has no further effect.',
    body: decisionForm,
    output: approvalView,
    run: async (ports, { params, body, caller }) => {
      const target = { stack: stackOf(params), request: params['key'] ?? '' }
      const approval = await decideApproval(ports, target, { caller, draft: body })
      return { json: approvalViewOf(approval, ports.clock.now()) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${stackPath}/approval-rule`,
    role: 'read',
    scope: 'stack',
    summary: 'Get the commands that need an approval, and the time in which plans can be approved',
    output: approvalRuleForm,
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      return { json: await readApprovalRule(ports.documents, id) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: `${stackPath}/approval-rule`,
    role: 'admin',
    scope: 'stack',
    summary: 'Set the commands that need an approval: up, destroy, both, or none',
    body: approvalRuleForm,
    output: approvalRuleForm,
    run: async ({ documents, ...ports }, { params, body }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const key = approvalRuleKeyOf(id)
      const version = (await documents.get(key))?.version ?? 0
      if ((await documents.put(key, body, version)) === false)
        throw createError('DOCUMENT_CHANGED', 'the rule for approvals was changed concurrently')
      return { json: body }
    },
  }),
]

function approvalViewOf(approval: StoredApproval, now: EpochMs): z.output<typeof approvalView> {
  const { request, command, message, by, at, expiresAt, changes, decision } = approval
  const state = approvalStateOf(approval, now)
  return {
    request,
    state,
    command,
    message,
    by,
    at,
    expiresAt,
    changes,
    ...(decision === undefined
      ? {}
      : { decision: { by: decision.by, at: decision.at, note: decision.note } }),
    ...(state === 'approved' ? { approvedRequest: approvedKeyOf(request) } : {}),
  }
}
