import { triggerLimits } from '../config/trigger-limits.ts'
import type { EpochMs, StackId } from '../records/ids.ts'
import type { DeploymentOptions } from '../records/log.ts'
import {
  type DeploymentRequest,
  isEditRequest,
  type RequestedProgram,
  type StackRequest,
} from '../records/stack-request.ts'
import { toPrintable } from './printable.ts'
import type { WebhookDelivery } from './webhooks/receive-webhook.ts'
import type { RuleMatch } from './webhooks/rules.ts'
import { detectsDrift, type Schedule } from './schedules/due-schedule.ts'

/** The time of a request, and the processes that run its operations. */
export interface RequestContext {
  readonly requestedAt: EpochMs
  readonly execute: DeploymentOptions['execute']
}

/**
 * Creates the request of a delivery for one of its rule matches. The key of the request contains
 * the id of the delivery, so a repeated delivery results in the same request. Each rule match of a
 * delivery has a different stack or a different position.
 */
export function createWebhookRequest(
  ruleMatch: RuleMatch,
  { webhook, delivery }: WebhookDelivery,
  context: RequestContext,
): DeploymentRequest {
  const { stack, operation, needsApproval, ref, replyTarget, position } = ruleMatch
  const { repository, commit } = replyTarget
  return {
    stack,
    key: `webhook ${webhook} ${delivery}${position === undefined ? '' : ` ${position}`}`,
    at: context.requestedAt,
    by: `webhook ${webhook}`,
    dryRun: operation === 'preview',
    options: createDeploymentOptions(context, {
      command: operation === 'preview' ? 'up' : operation,
      message: toPrintable(`${repository} ${ref} at ${commit.slice(0, 12)}`),
      ...(needsApproval === undefined ? {} : { needsApproval }),
    }),
    program: toRequestedProgram(ruleMatch, webhook),
    origin: { kind: 'webhook', webhook, ref, ...replyTarget },
  }
}

function toRequestedProgram({ program }: RuleMatch, webhook: string): RequestedProgram {
  if (program.kind === 'uploaded') return { kind: 'last' }
  return { ...program, kind: 'repository', webhook }
}

/** Returns the key of the request of a schedule's run. `due`: the time when the run was due. */
export function scheduleRequestKeyOf(name: string, due: EpochMs): string {
  return `schedule ${name} ${due}`
}

/**
 * Returns the key of the request of a shared schedule's run. `due`: the planned time of the run,
 * without the delay of the stack.
 */
export function sharedScheduleRequestKeyOf(name: string, due: EpochMs): string {
  return `shared ${scheduleRequestKeyOf(name, due)}`
}

/**
 * Creates the request of a schedule's run. A refresh that detects drift is requested as a preview,
 * which does not change the recorded state.
 */
export function createScheduleRequest(
  run: {
    readonly stack: StackId
    readonly name: string
    readonly schedule: Schedule
    /** The time when the run was due. With `isShared`: its planned time. */
    readonly due: EpochMs
    readonly isShared?: boolean
  },
  context: RequestContext,
): DeploymentRequest {
  const { stack, name, schedule, due, isShared = false } = run
  const { skipReadWithinMs = 0 } = schedule
  const { operation } = schedule
  const remediate = operation.kind === 'refresh' && operation.remediate
  return {
    stack,
    key: isShared ? sharedScheduleRequestKeyOf(name, due) : scheduleRequestKeyOf(name, due),
    at: context.requestedAt,
    by: `schedule ${name}`,
    dryRun: operation.kind === 'preview' || detectsDrift(schedule),
    options: createDeploymentOptions(context, {
      command: operation.kind === 'preview' ? 'up' : operation.kind,
      message: `schedule ${name}, due ${new Date(due).toISOString()}`,
    }),
    program: { kind: 'last' },
    origin: {
      kind: 'schedule',
      name,
      remediate,
      ...(isShared ? { shared: { skipReadWithinMs } } : {}),
    },
  }
}

/** Returns the key of the request that removes the drift of another request. */
export function remedyRequestKeyOf(driftKey: string): string {
  return `remedy of ${driftKey}`
}

/**
 * Creates the request that removes the drift of `driftRequest`. The request refreshes the resources
 * and then updates them.
 */
export function createRemedyRequest(
  driftRequest: DeploymentRequest,
  requestedAt: EpochMs,
): DeploymentRequest {
  return {
    ...driftRequest,
    key: remedyRequestKeyOf(driftRequest.key),
    at: requestedAt,
    dryRun: false,
    options: { ...driftRequest.options, command: 'up', refresh: true },
    origin: { kind: 'remedy', of: driftRequest.key },
  }
}

function createDeploymentOptions(
  { execute }: RequestContext,
  fields: Pick<DeploymentOptions, 'command' | 'message' | 'needsApproval'>,
): DeploymentOptions {
  const { triggeredParallel: parallel } = triggerLimits
  return { ...fields, parallel, refresh: false, continueOnError: false, execute }
}

/**
 * Reports whether a later request of a stack supersedes a waiting one. Both must come from one
 * webhook, and request the same operation for one branch or pull request and one program folder.
 * The later request then includes the changes of the earlier one. A request for a tag neither
 * supersedes another one nor is superseded, and the same applies to an approved plan.
 */
export function isSuperseded(earlier: DeploymentRequest, later: StackRequest): boolean {
  if (isEditRequest(later)) return false
  const keys = [earlier, later].map(supersessionKeyOf)
  return keys[0] !== undefined && keys[0] === keys[1]
}

function supersessionKeyOf({
  origin,
  program,
  options,
  dryRun,
}: DeploymentRequest): string | undefined {
  // Plans are approved in any order, so a later request may be for an earlier commit.
  if (options.approval !== undefined) return undefined
  if (origin?.kind !== 'webhook' || origin.ref.startsWith('tag ')) return undefined
  const folder = program.kind === 'repository' ? program.folder : ''
  const { webhook, repository, ref } = origin
  return JSON.stringify([webhook, repository, ref, program.kind, folder, options.command, dryRun])
}
