import type { EpochMs } from '../records/ids.ts'
import type { DeploymentRequest, RequestedProgram, WebhookOrigin } from '../records/request.ts'
import {
  createRemedyRequest,
  createScheduleRequest,
  createWebhookRequest,
} from './trigger-requests.ts'
import type { Schedule } from './schedules/schedule.ts'
import { commitForm, repositoryForm } from './webhooks/repository-event.ts'
import { type Rule, type Trigger, triggersOfOrigin } from './webhooks/rules.ts'

/**
 * Returns the request that the rules of a webhook allow for a stored request, or undefined. All but
 * the change, the sender's time and the key comes from a rule, because the stored request may be
 * forged. If several rules match, the one that the request was made by decides. If the rules have
 * changed meanwhile, their strictest settings apply. Pure.
 */
export function deriveWebhookRequest(
  rules: readonly Rule[],
  request: DeploymentRequest,
  origin: WebhookOrigin,
): DeploymentRequest | undefined {
  const { repository, commit, webhook } = origin
  if (!repositoryForm.safeParse(repository).success || !commitForm.safeParse(commit).success)
    return undefined
  const operation = request.dryRun ? 'preview' : request.options.command
  const derivedRequests = triggersOfOrigin(rules, request.stack, origin)
    .filter(trigger => trigger.operation === operation)
    .map(trigger => deriveFromTrigger(trigger, request, webhook))
    .filter(({ program }) => program.kind === request.program.kind)
  const sameRequest = derivedRequests.find(({ program }) => isSame(program, request.program))
  return sameRequest ?? mergeStrictly(derivedRequests)
}

function deriveFromTrigger(
  trigger: Trigger,
  { key, at, options }: DeploymentRequest,
  webhook: string,
): DeploymentRequest {
  const context = { requestedAt: at, execute: options.execute }
  return { ...createWebhookRequest(trigger, { webhook, delivery: '' }, context), key }
}

const isSame = (one: RequestedProgram, other: RequestedProgram): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Returns the first request, with the strictest settings of all. */
function mergeStrictly([first, ...others]: readonly DeploymentRequest[]):
  | DeploymentRequest
  | undefined {
  if (first?.program.kind !== 'repository') return first
  const programs = [first, ...others].flatMap(({ program }) =>
    program.kind === 'repository' ? [program] : [],
  )
  const mayUseDeployRole = programs.every(one => one.previewWithDeployRole === true)
  const program = {
    ...first.program,
    ignoreScripts: programs.some(one => one.ignoreScripts === true),
    ...(first.dryRun ? { previewWithDeployRole: mayUseDeployRole } : {}),
  }
  return { ...first, program }
}

/** A run of a schedule. */
export interface ScheduleRun {
  readonly name: string
  /** The planned time. */
  readonly due: EpochMs
}

/** Returns the run that the key of a schedule's request names; undefined for another key. Pure. */
export function parseScheduleKey(key: string): ScheduleRun | undefined {
  const [name, due] = /^schedule (.+) (\d{1,15})$/su.exec(key)?.slice(1) ?? []
  return name === undefined ? undefined : { name, due: Number(due) as EpochMs }
}

/**
 * Returns the request of a schedule's run, or the remedy of the drift that the run detected.
 * Returns undefined if the stored request has another operation, because the schedule has changed.
 * All but the key and the time comes from the schedule. Pure.
 */
export function deriveScheduleRequest(
  { name, due, schedule }: ScheduleRun & { readonly schedule: Schedule },
  request: DeploymentRequest,
): DeploymentRequest | undefined {
  const { stack, key, at, options, origin } = request
  const context = { requestedAt: at, execute: options.execute }
  const scheduledRequest = createScheduleRequest({ stack, name, schedule, due }, context)
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
