import type { OutboundPort } from '../../shared/ports/outbound.ts'
import type { SchedulerPort } from '../../shared/ports/scheduler.ts'
import { awsSettings } from '../../shared/platform/aws/clients.ts'
import { awsPlaces } from '../../shared/platform/aws/places.ts'
import type { AwsNotifications } from '../../shared/platform/aws/queues/notifications.ts'
import {
  createSchedulerClient,
  createSchedulerRemoval,
} from '../../shared/platform/aws/scheduler.ts'
import {
  type AwsTriggerPlatform,
  createTriggerPlatform,
} from '../../shared/platform/aws/trigger-platform.ts'
import { createLog } from '../../shared/platform/system/log.ts'
import { createOutbound } from '../../shared/triggers/outbound.ts'
import { addressRules } from './address-rules.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a function that handles triggers works with. */
export interface AwsTriggers extends Omit<AwsTriggerPlatform, 'notifications'> {
  readonly notifications: AwsNotifications
  readonly outbound: OutboundPort
  /** Functions run what these ask for. */
  readonly execute: 'functions'
}

/** Reads the environment of a function. Throws AWS_SETTINGS_INVALID. */
export function openTriggers(env: Env): AwsTriggers {
  const platform = openWebhooks(env)
  return {
    ...platform,
    notifications: platform.notifications(),
    outbound: createOutbound(addressRules(env)),
  }
}

/** The same for the function that Scheduler calls, which removes calls that nobody needs. */
export function openCalls(env: Env): AwsTriggers & { readonly scheduler: Removal } {
  const client = createSchedulerClient(awsSettings(env))
  const scheduler = createSchedulerRemoval(client, awsPlaces(env).of('scheduleGroup'))
  return { ...openTriggers(env), scheduler }
}

type Removal = Pick<SchedulerPort, 'remove'>

/** The same for one that only receives: it is told no queue of notifications and calls nobody. */
export function openWebhooks(env: Env): AwsTriggerPlatform & Pick<AwsTriggers, 'execute'> {
  const settings = awsSettings(env)
  const log = createLog({ level: 'info', write: line => void process.stdout.write(line) })
  const platform = createTriggerPlatform({ settings, places: awsPlaces(env), log })
  return { ...platform, execute: 'functions' }
}
