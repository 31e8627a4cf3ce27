import type { OutboundPort } from '../../shared/ports/outbound.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import type { SchedulerPort } from '../../shared/ports/scheduler.ts'
import { readAwsSettings } from '../../shared/platform/aws/clients.ts'
import { publicUrlVariable } from '../../shared/config/aws-resource-names.ts'
import {
  type AwsResources,
  readAwsResources,
  readGroupResources,
} from '../../shared/platform/aws/aws-resources.ts'
import { queueNameOf } from '../../shared/platform/aws/queues/receive-messages.ts'
import { createPortGroup, type GroupedPorts } from '../../shared/runtime/groups/port-groups.ts'
import { withCachedOpening } from '../../shared/triggers/webhooks/cached-opening.ts'
import type { AwsNotifications } from '../../shared/platform/aws/queues/notifications.ts'
import {
  createSchedulerClient,
  createSchedulerRemoval,
} from '../../shared/platform/aws/scheduler.ts'
import {
  type AwsTriggerPlatform,
  createTriggerPlatform,
} from '../../shared/platform/aws/trigger-platform.ts'
import type { UsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openLogs } from './open-logs.ts'
import { readAddressRules } from '../../shared/runtime/environment/address-rules.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The resources of a function that serves triggers. */
export interface AwsTriggers extends Omit<AwsTriggerPlatform, 'notifications'> {
  readonly telemetry: TelemetryPort
  readonly notifications: AwsNotifications
  readonly outbound: OutboundPort
  /** The operations of requested deployments run in functions. */
  readonly execute: 'functions'
}

/**
 * Opens the resources that the variables of a function name. `meter` counts their requests. Throws
 * AWS_SETTINGS_INVALID.
 */
export function openTriggers(
  env: Env,
  options: TriggerOptions & { readonly meter: UsageMeter },
): AwsTriggers {
  return openGroupTriggers(env, readAwsResources(env), options)
}

/** The parts that a function shares with its triggers, for all groups of stacks. */
interface TriggerOptions {
  /** The telemetry that the function sends at the end of a call, and the logger. */
  readonly logs: ReturnType<typeof openLogs>
  readonly meter?: UsageMeter
}

function openGroupTriggers(
  env: Env,
  resources: AwsResources,
  options: TriggerOptions,
): AwsTriggers {
  const platform = openGroupWebhooks(env, resources, options)
  return {
    ...platform,
    notifications: platform.createNotificationsPort(),
    outbound: createOutbound(readAddressRules(env)),
  }
}

/** The resources of the schedule function, for the stacks of one group. */
export interface ScheduleTriggers extends AwsTriggers, GroupedPorts<ScheduleTriggers> {
  readonly scheduler: SchedulerRemoval
  /** The address of the dashboard, for links in replies to webhooks. */
  readonly dashboardUrl: string
  /** The name of the queue of the group's notifications. */
  readonly notificationsQueue: string
}

/**
 * Opens the resources of the function that EventBridge Scheduler calls, for all groups of stacks.
 * `scheduler` removes calls that are no longer needed.
 */
export function openScheduleTriggers(env: Env): ScheduleTriggers {
  const client = createSchedulerClient(readAwsSettings(env))
  const commonResources = readAwsResources(env)
  const scheduler = createSchedulerRemoval(client, commonResources.get('scheduleGroup'))
  const dashboardUrl = env[publicUrlVariable] ?? commonResources.get('apiUrl')
  const logs = openLogs(env)
  const open = (resources: AwsResources): ScheduleTriggers => ({
    ...openGroupTriggers(env, resources, { logs }),
    scheduler,
    dashboardUrl,
    notificationsQueue: queueNameOf(resources.get('notificationsQueue')),
  })
  return {
    ...open(commonResources),
    otherGroups: readGroupResources(env).map(group =>
      createPortGroup(group, () => open(group.resources)),
    ),
  }
}

type SchedulerRemoval = Pick<SchedulerPort, 'remove'>

/** The resources of the webhook function, for the stacks of one group. */
export interface WebhookTriggers
  extends AwsTriggerPlatform,
    Pick<AwsTriggers, 'execute' | 'telemetry'>,
    GroupedPorts<WebhookTriggers> {}

/**
 * Opens the resources of the webhook function, which only receives deliveries, for all groups of
 * stacks. The function has no notification queue and makes no outbound calls.
 */
export function openWebhookTriggers(env: Env): WebhookTriggers {
  const logs = openLogs(env)
  const open = (resources: AwsResources): WebhookTriggers => {
    const triggers = openGroupWebhooks(env, resources, { logs })
    return { ...triggers, sealing: withCachedOpening(triggers.sealing, triggers.clock) }
  }
  return {
    ...open(readAwsResources(env)),
    otherGroups: readGroupResources(env).map(group =>
      createPortGroup(group, () => open(group.resources)),
    ),
  }
}

function openGroupWebhooks(
  env: Env,
  resources: AwsResources,
  { logs: { telemetry, logger }, meter }: TriggerOptions,
): WebhookTriggers {
  const settings = { ...readAwsSettings(env), ...(meter === undefined ? {} : { meter }) }
  return {
    ...createTriggerPlatform({ settings, resources, logger }),
    telemetry,
    execute: 'functions',
  }
}
