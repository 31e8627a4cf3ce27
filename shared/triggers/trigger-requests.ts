import { triggerLimits } from '../config/trigger-limits.ts'
import type { EpochMs, StackId } from '../records/ids.ts'
import type { DeploymentOptions } from '../records/log.ts'
import type { DeploymentRequest, RequestedProgram } from '../records/request.ts'
import { toPrintable } from './printable.ts'
import type { WebhookDelivery } from './webhooks/receive-webhook.ts'
import type { Trigger } from './webhooks/rules.ts'
import type { Schedule } from './schedules/schedule.ts'

/** The time of a request, and the executor of its operations. */
export interface RequestContext {
  readonly at: EpochMs
  readonly execute: DeploymentOptions['execute']
}

/**
 * Creates the request of a delivery for one of its triggers. Its key contains the delivery, so a
 * repeated delivery is the same request. Each trigger of a delivery has a different stack.
 */
export function createWebhookRequest(
  trigger: Trigger,
  { webhook, delivery }: WebhookDelivery,
  context: RequestContext,
): DeploymentRequest {
  const { stack, operation, ref, answer } = trigger
  const { repository, commit } = answer
  return {
    stack,
    key: `webhook ${webhook} ${delivery}`,
    at: context.at,
    by: `webhook ${webhook}`,
    dryRun: operation === 'preview',
    options: createOptions(context, {
      command: operation === 'preview' ? 'up' : operation,
      message: toPrintable(`${repository} ${ref} at ${commit.slice(0, 12)}`),
    }),
    program: toRequestedProgram(trigger, webhook),
    origin: { kind: 'webhook', webhook, ref, ...answer },
  }
}

function toRequestedProgram({ program }: Trigger, webhook: string): RequestedProgram {
  if (program.kind === 'uploaded') return { kind: 'last' }
  const { repository, commit, folder } = program
  return { kind: 'repository', repository, commit, folder, webhook }
}

/**
 * Creates the request of a schedule's run. A refresh is requested as a preview: it detects drift
 * without changing the recorded state.
 */
export function createScheduleRequest(
  run: {
    readonly stack: StackId
    readonly name: string
    readonly schedule: Schedule
    /** The planned time of the run. */
    readonly due: EpochMs
  },
  context: RequestContext,
): DeploymentRequest {
  const { stack, name, schedule, due } = run
  const { operation } = schedule
  const remediate = operation.kind === 'refresh' && operation.remediate
  return {
    stack,
    key: `schedule ${name} ${due}`,
    at: context.at,
    by: `schedule ${name}`,
    dryRun: operation.kind === 'refresh',
    options: createOptions(context, {
      command: operation.kind,
      message: `schedule ${name}, due ${new Date(due).toISOString()}`,
    }),
    program: { kind: 'last' },
    origin: { kind: 'schedule', name, remediate },
  }
}

/**
 * Creates the request that removes the drift that another one found: it refreshes the resources,
 * then updates them.
 */
export function createRemedyRequest(found: DeploymentRequest, at: EpochMs): DeploymentRequest {
  return {
    ...found,
    key: `remedy of ${found.key}`,
    at,
    dryRun: false,
    options: { ...found.options, command: 'up', refresh: true },
    origin: { kind: 'remedy', of: found.key },
  }
}

function createOptions(
  { execute }: RequestContext,
  fields: Pick<DeploymentOptions, 'command' | 'message'>,
): DeploymentOptions {
  const { parallelOfTriggers: parallel } = triggerLimits
  return { ...fields, parallel, refresh: false, continueOnError: false, execute }
}

/**
 * Reports whether a waiting request is superseded by the next one. Both are of one webhook, for the
 * same operation on the same branch or pull request, so the later one includes the earlier one.
 */
export function isSuperseded(one: DeploymentRequest, next: DeploymentRequest): boolean {
  const lines = [one, next].map(supersessionKeyOf)
  return lines[0] !== undefined && lines[0] === lines[1]
}

function supersessionKeyOf({
  origin,
  program,
  options,
  dryRun,
}: DeploymentRequest): string | undefined {
  if (origin?.kind !== 'webhook' || origin.ref.startsWith('tag ')) return undefined
  const folder = program.kind === 'repository' ? program.folder : ''
  const { webhook, repository, ref } = origin
  return JSON.stringify([webhook, repository, ref, program.kind, folder, options.command, dryRun])
}
