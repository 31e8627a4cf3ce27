import { triggerLimits } from '../config/trigger-limits.ts'
import type { EpochMs, StackId } from '../records/ids.ts'
import type { DeploymentOptions } from '../records/log.ts'
import type { DeploymentRequest, RequestedProgram } from '../records/request.ts'
import { toPrintable } from './printable.ts'
import type { WebhookDelivery } from './webhooks/receive-webhook.ts'
import type { Trigger } from './webhooks/rules.ts'
import type { Schedule } from './schedules/schedule.ts'

/** When something is asked for, and who is to run its operations. */
export interface RequestContext {
  readonly at: EpochMs
  readonly execute: DeploymentOptions['execute']
}

/**
 * The request that a delivery makes of one of its triggers. Its key is that of the delivery: the
 * same delivery is the same request, and of several triggers each has a stack of its own.
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
 * The request of a schedule's run. A refresh is asked for as a preview: it finds drift and changes
 * nothing of what is recorded.
 */
export function createScheduleRequest(
  run: {
    readonly stack: StackId
    readonly name: string
    readonly schedule: Schedule
    /** The time that the run was meant for. */
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

/** The request that removes the drift that another one found: what is there is read, then set. */
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
 * Whether a request that waits may be left out for the one behind it: both are of one webhook, for
 * the same operation on the same branch or pull request, and so the later does all that the earlier
 * would have done.
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
