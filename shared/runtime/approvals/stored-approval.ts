import { createHash } from 'node:crypto'
import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { DocumentKey, DocumentPage, DocumentsPort } from '../../ports/documents.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'
import { readDocumentsOf } from '../../triggers/read-documents.ts'
import { createRecordForm } from '../../values/record-form.ts'

/** Time after the expiry for which the record of an approval is kept. */
const retentionMs = 30 * 24 * 3_600_000

/**
 * Time after an expiry within which the expiry is reported. Older expiries are never reported,
 * such as those of approvals that an older version of Antichain stored.
 */
const expiryReportMaxMs = triggerLimits.deliveryRetentionMs

const hashForm = z.string().transform(text => text as BlobHash)
const timeForm = z.number().transform(ms => ms as EpochMs)

/** The decision about a plan. */
const decisionForm = z.object({
  verdict: z.enum(['approved', 'rejected']),
  /** The name of the token that decided. */
  by: z.string(),
  /** The id of this token. */
  token: z.string(),
  note: z.string().optional(),
  at: timeForm,
})

const approvalForm = z.object({
  /** The key of the request that waits. */
  request: z.string(),
  command: z.string(),
  message: z.string(),
  /** The requester, for display. */
  by: z.string(),
  /** The id of the requester's token, if a token requested the deployment. */
  token: z.string().optional(),
  /** The time of the preview. */
  at: timeForm,
  expiresAt: timeForm,
  /** Numbers of planned operations by kind, as in the summary of the preview. */
  changes: createRecordForm(z.number()),
  /** The update plan of the preview. */
  plan: hashForm,
  /** The archive of the previewed program. */
  archive: hashForm.optional(),
  decision: decisionForm.optional(),
  /** Whether the expiry was reported to the requester. */
  isExpiryReported: z.boolean().optional(),
})

/** The record of the approval for which a request waits, with the decision once it is made. */
export type StoredApproval = z.infer<typeof approvalForm>

/** The decision about a plan. */
export type ApprovalDecision = z.infer<typeof decisionForm>

/** The state of an approval. */
export type ApprovalState = 'waiting' | 'approved' | 'rejected' | 'expired'

const namePrefix = 'approval.'

/**
 * Returns the key of the document of an approval. It contains a digest, because keys of requests
 * may have any characters.
 */
function approvalKeyOf(stack: StackId, request: string): DocumentKey {
  const digest = createHash('sha256').update(request, 'utf8').digest('hex')
  return { kind: 'stack-settings', scope: stack, name: `${namePrefix}${digest}` }
}

const approvedPrefix = 'approved '

/** Returns the key of the request that applies the approved plan of another request. Pure. */
export function approvedKeyOf(request: string): string {
  return `${approvedPrefix}${request}`
}

/** Returns the key of the request whose plan another request applies. Inverse of `approvedKeyOf`. */
export function originalKeyOf(request: string): string {
  return request.startsWith(approvedPrefix) ? request.slice(approvedPrefix.length) : request
}

/** Returns the state of an approval at a time. Pure. */
export function approvalStateOf(
  { decision, expiresAt }: Pick<StoredApproval, 'decision' | 'expiresAt'>,
  now: EpochMs,
): ApprovalState {
  if (decision !== undefined) return decision.verdict
  return now < expiresAt ? 'waiting' : 'expired'
}

/** Returns the approval of a request with the version of its document, if there is one. */
export async function findApproval(
  documents: Pick<DocumentsPort, 'get'>,
  stack: StackId,
  request: string,
): Promise<{ readonly approval: StoredApproval; readonly version: number } | undefined> {
  const stored = await documents.get(approvalKeyOf(stack, request))
  if (stored === undefined) return undefined
  return { approval: parseDocumentValue(approvalForm, stored), version: stored.version }
}

/** Returns the approvals of a stack, those that wait the longest first. */
export async function listApprovals(
  documents: Pick<DocumentsPort, 'list'>,
  stack: StackId,
): Promise<readonly StoredApproval[]> {
  const approvals: StoredApproval[] = []
  for await (const stored of readDocumentsOf(documents, 'stack-settings', stack))
    if (stored.key.name.startsWith(namePrefix))
      approvals.push(parseDocumentValue(approvalForm, stored))
  return approvals.toSorted((one, other) => one.at - other.at)
}

/**
 * Returns the stacks with an expired approval whose expiry is not reported yet. Omits approvals
 * that expired more than `expiryReportMaxMs` ago, and unreadable ones.
 */
export async function findStacksWithExpiredApprovals(
  documents: Pick<DocumentsPort, 'list'>,
  now: EpochMs,
): Promise<readonly StackId[]> {
  const stacks = new Set<StackId>()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: DocumentPage = await documents.list('stack-settings', cursor)
    for (const { key, value } of page.documents) {
      if (!key.name.startsWith(namePrefix) || key.scope === '*') continue
      const approval = approvalForm.safeParse(value).data
      if (approval !== undefined && isExpiryDue(approval, now)) stacks.add(key.scope)
    }
    cursor = page.next
  }
  return [...stacks]
}

/** Reports whether the expiry of an approval must still be reported. Pure. */
export function isExpiryDue(approval: StoredApproval, now: EpochMs): boolean {
  return (
    approval.isExpiryReported !== true &&
    approvalStateOf(approval, now) === 'expired' &&
    now - approval.expiresAt < expiryReportMaxMs
  )
}

/** Records that the expiry of an approval was reported. Throws DOCUMENT_CHANGED. */
export async function markExpiryReported(
  documents: Pick<DocumentsPort, 'get' | 'putExpiring'>,
  stack: StackId,
  request: string,
): Promise<void> {
  const found = await findApproval(documents, stack, request)
  if (found === undefined) return
  const approval = { ...found.approval, isExpiryReported: true }
  await putApproval(documents, { stack, approval, version: found.version })
}

/**
 * Stores the approval for which a request waits. A repetition replaces its plan, unless the plan
 * was decided. Returns the stored approval. Throws DOCUMENT_CHANGED after a concurrent change.
 */
export async function putWaitingApproval(
  documents: Pick<DocumentsPort, 'get' | 'putExpiring'>,
  stack: StackId,
  approval: StoredApproval,
): Promise<StoredApproval> {
  const existing = await findApproval(documents, stack, approval.request)
  if (existing?.approval.decision !== undefined) return existing.approval
  await putApproval(documents, { stack, approval, version: existing?.version ?? 0 })
  return approval
}

/** Stores a decision at the version of its approval. Throws DOCUMENT_CHANGED. */
export async function putDecision(
  documents: Pick<DocumentsPort, 'putExpiring'>,
  stack: StackId,
  {
    approval,
    version,
    decision,
  }: {
    readonly approval: StoredApproval
    readonly version: number
    readonly decision: ApprovalDecision
  },
): Promise<StoredApproval> {
  const decided = { ...approval, decision }
  await putApproval(documents, { stack, approval: decided, version })
  return decided
}

async function putApproval(
  documents: Pick<DocumentsPort, 'putExpiring'>,
  {
    stack,
    approval,
    version,
  }: {
    readonly stack: StackId
    readonly approval: StoredApproval
    readonly version: number
  },
): Promise<void> {
  const key = approvalKeyOf(stack, approval.request)
  const expiresAt = (approval.expiresAt + retentionMs) as EpochMs
  if ((await documents.putExpiring({ key, version, value: approval, expiresAt })) === false)
    throw createError('DOCUMENT_CHANGED', 'the approval was changed concurrently')
}
