import type { EpochMs } from '../records/ids.ts'
import type {
  DeploymentRequest,
  RequestedProgram,
  WebhookOrigin,
} from '../records/stack-request.ts'
import {
  createRemedyRequest,
  createScheduleRequest,
  createWebhookRequest,
} from './trigger-requests.ts'
import type { Schedule } from './schedules/due-schedule.ts'
import { abbreviatedCommitForm, isRepository } from './webhooks/repository-event.ts'
import { type Rule, type RuleMatch, findRuleMatchesOfOrigin } from './webhooks/rules.ts'

/**
 * Returns the request that the rules of a webhook allow for a stored request, or undefined. The
 * stored request may be forged, so only `origin`, the key, the time and `execute` come from it. A
 * rule determines all other fields. Of several matching rules, the one with the program of the
 * stored request decides. If no rule has this program, because the rules have changed, the
 * strictest settings of all apply. If any rule requires an approval, the result requires it. Pure.
 */
export function deriveWebhookRequest(
  rules: readonly Rule[],
  request: DeploymentRequest,
  origin: WebhookOrigin,
): DeploymentRequest | undefined {
  const { repository, commit, webhook } = origin
  if (!isRepository(repository) || !abbreviatedCommitForm.safeParse(commit).success)
    return undefined
  const operation = request.dryRun ? 'preview' : request.options.command
  const derivedRequests = findRuleMatchesOfOrigin(rules, request.stack, origin)
    .filter(ruleMatch => ruleMatch.operation === operation)
    .map(ruleMatch => deriveFromRuleMatch(ruleMatch, request, webhook))
    .filter(({ program }) => program.kind === request.program.kind)
  const sameRequest = derivedRequests.find(({ program }) => isSameProgram(program, request.program))
  const derivedRequest = sameRequest ?? mergeStrictly(derivedRequests)
  const needsApproval = derivedRequests.some(({ options }) => options.needsApproval === true)
  if (derivedRequest === undefined || !needsApproval) return derivedRequest
  return { ...derivedRequest, options: { ...derivedRequest.options, needsApproval } }
}

function deriveFromRuleMatch(
  ruleMatch: RuleMatch,
  { key, at, options }: DeploymentRequest,
  webhook: string,
): DeploymentRequest {
  const context = { requestedAt: at, execute: options.execute }
  // Only the key contains the id of the delivery, and the stored key replaces the created one.
  return { ...createWebhookRequest(ruleMatch, { webhook, delivery: '' }, context), key }
}

const isSameProgram = (a: RequestedProgram, b: RequestedProgram): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** Returns the first request, with the strictest settings of all requests. */
function mergeStrictly([first, ...others]: readonly DeploymentRequest[]):
  | DeploymentRequest
  | undefined {
  if (first?.program.kind !== 'repository') return first
  const programs = [first, ...others].flatMap(({ program }) =>
    program.kind === 'repository' ? [program] : [],
  )
  const mayUseDeployRole = programs.every(
    ({ previewWithDeployRole }) => previewWithDeployRole === true,
  )
  const program = {
    ...first.program,
    ignoreScripts: programs.some(({ ignoreScripts }) => ignoreScripts === true),
    ...(first.dryRun ? { previewWithDeployRole: mayUseDeployRole } : {}),
  }
  return { ...first, program }
}

/** A run of a schedule. */
export interface ScheduleRun {
  readonly name: string
  /** The time when the run was due. In a shared schedule: its planned time. */
  readonly due: EpochMs
  /** Whether the schedule is shared by several stacks. */
  readonly isShared: boolean
}

/** Returns the run that the key of a schedule's request names; undefined for another key. Pure. */
export function parseScheduleRequestKey(key: string): ScheduleRun | undefined {
  const [prefix, name, due] = /^(shared )?schedule (.+) (\d{1,15})$/su.exec(key)?.slice(1) ?? []
  if (name === undefined) return undefined
  return { name, due: Number(due) as EpochMs, isShared: prefix !== undefined }
}

/**
 * Returns the request of a schedule's run, or the remedy of the drift that the run detected.
 * Returns undefined if the schedule was changed meanwhile, and no longer has the operation of the
 * stored request. Only the stack, the key, the time and `execute` come from the stored request.
 * Pure.
 */
export function deriveScheduleRequest(
  { name, due, isShared, schedule }: ScheduleRun & { readonly schedule: Schedule },
  request: DeploymentRequest,
): DeploymentRequest | undefined {
  const { stack, key, at, options, origin } = request
  const context = { requestedAt: at, execute: options.execute }
  const scheduledRequest = createScheduleRequest({ stack, name, schedule, due, isShared }, context)
  const { operation } = schedule
  if (origin?.kind === 'remedy') {
    const mayRemedy = operation.kind === 'refresh' && operation.remediate
    const remedy = createRemedyRequest(scheduledRequest, at)
    return mayRemedy && remedy.key === key ? remedy : undefined
  }
  const isSameOperation =
    scheduledRequest.key === key &&
    scheduledRequest.dryRun === request.dryRun &&
    scheduledRequest.options.command === options.command
  return isSameOperation ? scheduledRequest : undefined
}
