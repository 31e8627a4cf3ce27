import type { OutboundPort } from '../../shared/ports/outbound.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import type { SchedulerPort } from '../../shared/ports/scheduler.ts'
import { readAwsSettings } from '../../shared/platform/aws/clients.ts'
import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
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
export function openTriggers(env: Env, meter?: UsageMeter): AwsTriggers {
  const platform = openWebhookTriggers(env, meter)
  return {
    ...platform,
    notifications: platform.createNotificationsPort(),
    outbound: createOutbound(readAddressRules(env)),
  }
}

/**
 * Opens the resources of the function that EventBridge Scheduler calls. `scheduler` removes calls
 * that are no longer needed.
 */
export function openScheduleTriggers(
  env: Env,
): AwsTriggers & { readonly scheduler: SchedulerRemoval } {
  const client = createSchedulerClient(readAwsSettings(env))
  const scheduler = createSchedulerRemoval(client, readAwsResources(env).get('scheduleGroup'))
  return { ...openTriggers(env), scheduler }
}

type SchedulerRemoval = Pick<SchedulerPort, 'remove'>

/**
 * Opens the resources of the webhook function, which only receives deliveries. The function has no
 * notification queue and makes no outbound calls.
 */
export function openWebhookTriggers(
  env: Env,
  meter?: UsageMeter,
): AwsTriggerPlatform & Pick<AwsTriggers, 'execute' | 'telemetry'> {
  const settings = { ...readAwsSettings(env), ...(meter === undefined ? {} : { meter }) }
  const { telemetry, logger } = openLogs(env)
  const platform = createTriggerPlatform({
    settings,
    resources: readAwsResources(env),
    logger,
  })
  return { ...platform, telemetry, execute: 'functions' }
}
