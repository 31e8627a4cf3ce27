import { createError, messageOf } from '../../shared/errors/error.ts'
import type { EpochMs, StackId } from '../../shared/records/ids.ts'
import { type DeploymentRequest, isEditRequest } from '../../shared/records/stack-request.ts'
import {
  type ApprovalDecision,
  approvalStateOf,
  findApproval,
  putDecision,
  type StoredApproval,
  approvedKeyOf,
} from '../../shared/runtime/approvals/stored-approval.ts'
import { createReply } from '../../shared/triggers/notifications/create-reply.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import type { Caller } from '../../shared/api/authorization.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'
import { requestDeployment } from '../../shared/api/request-deployment.ts'

/** A decision about the plan of a request, as a caller makes it. */
export interface DecisionDraft {
  readonly verdict: ApprovalDecision['verdict']
  readonly note?: string | undefined
}

/** Returns the approval of a request. Throws APPROVAL_UNKNOWN. */
export async function requireApproval(
  { documents }: Pick<ApiPorts, 'documents'>,
  stack: StackId,
  request: string,
): Promise<NonNullable<Awaited<ReturnType<typeof findApproval>>>> {
  const storedApproval = await findApproval(documents, stack, request)
  if (storedApproval !== undefined) return storedApproval
  const message = `the request '${toPrintable(request)}' does not wait for an approval`
  throw createError('APPROVAL_UNKNOWN', message)
}

/**
 * Decides about the plan of a request. An approval requests the deployment that applies the plan. A
 * repetition of the same decision by the same token has no further effect. Throws APPROVAL_UNKNOWN,
 * APPROVAL_EXPIRED, APPROVAL_DECIDED, DOCUMENT_CHANGED, and APPROVAL_OWN for the requester.
 */
export async function decideApproval(
  ports: ApiPorts,
  { stack, request }: { readonly stack: StackId; readonly request: string },
  { caller, draft }: { readonly caller: Caller; readonly draft: DecisionDraft },
): Promise<StoredApproval> {
  const { approval, version } = await requireApproval(ports, stack, request)
  const now = ports.clock.now()
  const isRepetition = isSameDecision(approval, caller, draft)
  if (!isRepetition) requireDecidable(approval, { caller, draft, now })
  const { verdict, note } = draft
  const decision: ApprovalDecision = {
    verdict,
    by: caller.name,
    token: caller.id,
    at: now,
    ...(note === undefined ? {} : { note }),
  }
  if (!isRepetition) await requireEndedPreview(ports, stack, approval)
  const decided = isRepetition
    ? approval
    : await putDecision(ports.documents, stack, { approval, version, decision })
  // The process that stored the decision may have died before it requested the deployment. After
  // the expiry, this call makes no request: the record of an earlier request may be gone, so the
  // deployment would run again.
  if (decided.decision?.verdict === 'approved' && now < decided.expiresAt)
    await requestApproved(ports, stack, { approval: decided, decision: decided.decision })
  if (decided.decision?.verdict === 'rejected') await replyRejected(ports, stack, decided)
  return decided
}

/**
 * After the rejection of a plan that a webhook requested, sets the status of the request's commit.
 * A repetition sets the same status. Only logs an error, because the decision is stored already.
 */
async function replyRejected(
  { requests, notifications, logger }: ApiPorts,
  stack: StackId,
  { request: key, decision }: StoredApproval,
): Promise<void> {
  try {
    const request = (await requests.find(stack, key))?.request
    if (request === undefined || isEditRequest(request)) return
    const reason = decision?.note === undefined ? '' : `: ${decision.note}`
    const description = `the plan was rejected by ${decision?.by ?? 'a token'}${reason}`
    const reply = createReply(request, 'failure', { description, page: { kind: 'plan' } })
    if (reply !== undefined) await notifications.send([reply])
  } catch (thrown) {
    logger.write('warn', 'notify.failed', { stack, message: messageOf(thrown) })
  }
}

/**
 * Requires that the preview of a request has ended with this plan. A request that was withdrawn, or
 * whose preview runs again, has no plan to decide about. Throws APPROVAL_UNKNOWN.
 */
async function requireEndedPreview(
  { requests }: Pick<ApiPorts, 'requests'>,
  stack: StackId,
  { request, plan }: StoredApproval,
): Promise<void> {
  const end = (await requests.find(stack, request))?.end
  if (end?.kind === 'previewed' && end.approval?.plan === plan) return
  const reason = end === undefined ? 'is still previewed' : 'was withdrawn or replaced'
  throw createError('APPROVAL_UNKNOWN', `the request '${toPrintable(request)}' ${reason}`)
}

/** Reports whether a caller repeats its own decision. Pure. */
function isSameDecision(
  { decision }: StoredApproval,
  { id }: Caller,
  { verdict }: DecisionDraft,
): boolean {
  return decision?.verdict === verdict && decision.token === id
}

/** Throws APPROVAL_DECIDED, APPROVAL_EXPIRED or APPROVAL_OWN for a decision that is not allowed. */
function requireDecidable(
  approval: StoredApproval,
  {
    caller,
    draft,
    now,
  }: { readonly caller: Caller; readonly draft: DecisionDraft; readonly now: EpochMs },
): void {
  const { decision, expiresAt } = approval
  const name = `the plan of the request '${toPrintable(approval.request)}'`
  if (decision !== undefined)
    throw createError('APPROVAL_DECIDED', `${name} was ${decision.verdict} by ${decision.by}`)
  if (approvalStateOf(approval, now) === 'expired') {
    const time = new Date(expiresAt).toISOString()
    throw createError('APPROVAL_EXPIRED', `${name} could be approved until ${time}`)
  }
  if (draft.verdict === 'approved' && isRequester(approval, caller))
    throw createError('APPROVAL_OWN', `${name} cannot be approved by its requester ${caller.name}`)
}

/**
 * Reports whether a caller is the requester. A caller with a new token of the same name counts as
 * the requester too. After the name, `by` may have the client, such as ` (API)`.
 */
function isRequester({ token, by }: StoredApproval, { id, name }: Caller): boolean {
  return token !== undefined && (token === id || by.replace(/ \([A-Za-z]+\)$/, '') === name)
}

/** Requests the deployment of an approved plan: the same program, options and origin. */
async function requestApproved(
  ports: ApiPorts,
  stack: StackId,
  {
    approval,
    decision,
  }: { readonly approval: StoredApproval; readonly decision: ApprovalDecision },
): Promise<void> {
  const { archive, plan } = approval
  const stored = await ports.requests.find(stack, approval.request)
  if (stored === undefined || isEditRequest(stored.request))
    throw createError(
      'REQUEST_UNKNOWN',
      `the stack has no request '${toPrintable(approval.request)}'`,
    )
  const { needsApproval: _needsApproval, ...options } = stored.request.options
  const { by, note, at } = decision
  const approvedRequest: DeploymentRequest = {
    ...stored.request,
    key: approvedKeyOf(approval.request),
    at,
    options: {
      ...options,
      plan,
      approval: { of: approval.request, by, at, ...(note === undefined ? {} : { note }) },
    },
    ...(archive === undefined ? {} : { program: { kind: 'archive', archive } }),
  }
  await requestDeployment(ports, approvedRequest, async () => undefined)
}
