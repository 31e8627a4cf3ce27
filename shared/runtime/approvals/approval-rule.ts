import * as z from 'zod'
import { createError } from '../../errors/error.ts'
import type { DocumentKey, DocumentsPort } from '../../ports/documents.ts'
import type { StackId } from '../../records/ids.ts'
import type { DeploymentOptions } from '../../records/log.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'

/** The commands whose deployments can wait for an approval. They change resources. */
export const approvableCommands = ['up', 'destroy'] as const

/**
 * The time in which a plan can be approved, in hours. The maximum is shorter than the time for
 * which requests are kept.
 */
const expiryHours = { default: 24, max: 14 * 24 }

/** The rule of a stack: the commands that need an approval, and the expiry of their plans. */
export const approvalRuleForm = z.strictObject({
  commands: z.array(z.enum(approvableCommands)).max(approvableCommands.length),
  expiresAfterHours: z.number().positive().max(expiryHours.max).default(expiryHours.default),
})

/** The rule of a stack for approvals. */
export type ApprovalRule = z.infer<typeof approvalRuleForm>

/** The rule of a stack without a rule of its own. */
const defaultRule: ApprovalRule = { commands: [], expiresAfterHours: expiryHours.default }

/** Returns the key of the document with the rule of a stack. */
export function approvalRuleKeyOf(stack: StackId): DocumentKey {
  return { kind: 'stack-settings', scope: stack, name: 'approval-rule' }
}

/** Returns the rule of a stack. Throws DOCUMENT_INVALID for an unreadable rule. */
export async function readApprovalRule(
  documents: Pick<DocumentsPort, 'get'>,
  stack: StackId,
): Promise<ApprovalRule> {
  const stored = await documents.get(approvalRuleKeyOf(stack))
  return stored === undefined ? defaultRule : parseDocumentValue(approvalRuleForm, stored)
}

/** A deployment that may need an approval. */
interface ApprovableDeployment {
  readonly stack: StackId
  readonly options: Pick<DeploymentOptions, 'command' | 'needsApproval' | 'approval' | 'runProgram'>
}

/**
 * Returns the time in which the plan of a deployment can be approved. Returns undefined if the
 * deployment needs no approval, or has its approval already.
 */
export async function findApprovalPeriodMs(
  documents: Pick<DocumentsPort, 'get'>,
  { stack, options }: ApprovableDeployment,
): Promise<number | undefined> {
  const { command, needsApproval, approval } = options
  if (!isApprovable(command) || approval !== undefined) return undefined
  const rule = await readApprovalRule(documents, stack)
  if (needsApproval !== true && !rule.commands.includes(command)) return undefined
  return Math.ceil(rule.expiresAfterHours * 3_600_000)
}

/**
 * Throws APPROVAL_REQUIRED for a deployment that needs an approval and has none. On a stack with a
 * rule, a refresh may not run the program, which would have the role of deployments.
 */
export async function requireNoMissingApproval(
  documents: Pick<DocumentsPort, 'get'>,
  deployment: ApprovableDeployment,
): Promise<void> {
  const { stack, options } = deployment
  if (options.command === 'refresh' && options.runProgram === true) {
    const { commands } = await readApprovalRule(documents, stack)
    if (commands.length === 0) return
    const reason = 'needs approvals, so a refresh may not run its program'
    throw createError('APPROVAL_REQUIRED', `the stack '${stack}' ${reason}`)
  }
  if ((await findApprovalPeriodMs(documents, deployment)) === undefined) return
  const message = `'${options.command}' of the stack '${stack}' needs the approval of its plan`
  throw createError('APPROVAL_REQUIRED', message)
}

/**
 * Throws APPROVAL_REQUIRED if a stack has a rule. A client that runs the engine itself decides what
 * it changes, whichever command it names.
 */
export async function requireNoApprovalRule(
  documents: Pick<DocumentsPort, 'get'>,
  stack: StackId,
): Promise<void> {
  const { commands } = await readApprovalRule(documents, stack)
  if (commands.length === 0) return
  const reason = 'needs approvals, which an update of a client cannot have'
  throw createError('APPROVAL_REQUIRED', `the stack '${stack}' ${reason}`)
}

function isApprovable(command: string): command is (typeof approvableCommands)[number] {
  return approvableCommands.some(approvable => approvable === command)
}
