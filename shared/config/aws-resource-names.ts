/**
 * Where an installation on AWS keeps what: the environment variables that its functions read and
 * its infrastructure sets, and the names of what it is made of. One table for both sides, so that
 * neither can name what the other does not know.
 */
import { limits } from './limits.ts'
import { triggerLimits } from './trigger-limits.ts'

/** Environment variables of the functions and of the tasks of the long pool. */
export const awsVariables = {
  installation: 'ANTICHAIN_INSTALLATION',
  journalTable: 'ANTICHAIN_JOURNAL_TABLE',
  catalogTable: 'ANTICHAIN_CATALOG_TABLE',
  bucket: 'ANTICHAIN_BUCKET',
  chainsQueue: 'ANTICHAIN_CHAINS_QUEUE',
  chainsLongQueue: 'ANTICHAIN_CHAINS_LONG_QUEUE',
  /** Dead letters of both chain queues: who closes a deployment tells of them. */
  chainsDeadQueue: 'ANTICHAIN_CHAINS_DEAD_QUEUE',
  chainsLongDeadQueue: 'ANTICHAIN_CHAINS_LONG_DEAD_QUEUE',
  nudgesQueue: 'ANTICHAIN_NUDGES_QUEUE',
  nudgesLongQueue: 'ANTICHAIN_NUDGES_LONG_QUEUE',
  notificationsQueue: 'ANTICHAIN_NOTIFICATIONS_QUEUE',
  /** What nobody could be told: the API shows it and has it sent again. */
  notificationsDeadQueue: 'ANTICHAIN_NOTIFICATIONS_DEAD_QUEUE',
  /** The key of secrets, as an ARN. */
  key: 'ANTICHAIN_KEY',
  scheduleGroup: 'ANTICHAIN_SCHEDULE_GROUP',
  /** The role that EventBridge Scheduler takes on to call the schedule function, as an ARN. */
  scheduleRole: 'ANTICHAIN_SCHEDULE_ROLE',
  scheduleFunction: 'ANTICHAIN_SCHEDULE_FUNCTION',
  compactionFunction: 'ANTICHAIN_COMPACTION_FUNCTION',
  webhookUrl: 'ANTICHAIN_WEBHOOK_URL',
  /** The pool that the process belongs to: `short` in a function, `long` in a task. */
  pool: 'ANTICHAIN_POOL',
} as const

/** What an environment variable stands for. */
export type AwsVariable = keyof typeof awsVariables

/** Keys of both tables, as attribute names; the sort key and the partition key are strings. */
export const tableKeys = { partition: 'pk', sort: 'sk', expires: 'expires' } as const

/** First parts of the bucket's keys: what a function may read or write is granted by them. */
export const bucketPrefixes = {
  /** Immutable bytes by their hash: snapshots, plan pages, large records, assets, programs. */
  blobs: 'blobs/',
  /** Provider plugins by their checksum, unpacked by executors and generators. */
  plugins: 'plugins/',
} as const

/**
 * What a secret is encrypted for, as a pair of the encryption context of KMS: functions that handle
 * triggers may use the key for those secrets only, executors for those of stacks only.
 */
export const keyPurpose = {
  field: 'antichain-purpose',
  trigger: 'trigger',
  stack: 'stack',
  /** The field of the document that a secret of a trigger stands in. */
  place: 'antichain-place',
} as const

/**
 * Metrics that functions write into their logs in the embedded metric format, each with the
 * dimension `Installation`, that of the long pool with `Queue` too; alarms and the scaling of the
 * long pool read them.
 */
export const awsMetrics = {
  namespace: 'Antichain',
  dimension: 'Installation',
  queueDimension: 'Queue',
  /** Open deployments that nobody holds any more. */
  stuckDeployments: 'StuckDeployments',
  /** How long ago a deployment was settled that is being published, in seconds. */
  compactionLag: 'CompactionLagSeconds',
  /** Written by whoever sends to the long pool: metrics of an idle queue come late. */
  longPoolWaiting: 'LongPoolWaiting',
} as const

/** Names of an installation's parts; all of one account and region begin with its name. */
export interface InstallationNames {
  readonly dataStack: string
  readonly stack: string
  readonly journalTable: string
  readonly catalogTable: string
  readonly queues: Readonly<Record<QueueName, string>>
  readonly scheduleGroup: string
}

/** The queues; each has another for dead letters, of the same name with `-dead`. */
export const queueNames = [
  'chains',
  'chains-long',
  'nudges',
  'nudges-long',
  'notifications',
] as const
export type QueueName = (typeof queueNames)[number]

/** The name of an installation when none is given. */
export const defaultInstallation = 'antichain'

/** The form of an installation's name: short, because other names begin with it. */
export const installationPattern = /^[a-z][a-z0-9-]{1,19}$/

/** The names of an installation. */
export function installationNamesOf(installation: string): InstallationNames {
  const withInstallation = (part: string): string => `${installation}-${part}`
  return {
    dataStack: withInstallation('data'),
    stack: installation,
    journalTable: withInstallation('journal'),
    catalogTable: withInstallation('catalog'),
    queues: {
      chains: withInstallation('chains'),
      'chains-long': withInstallation('chains-long'),
      nudges: withInstallation('nudges'),
      'nudges-long': withInstallation('nudges-long'),
      notifications: withInstallation('notifications'),
    },
    scheduleGroup: withInstallation('schedules'),
  }
}

/** How often a message of a queue is delivered before it is a dead letter. */
export function deliveriesLimitOf(queue: QueueName): number {
  // These come again because somebody outside could not be reached, which lasts longer.
  return queue === 'notifications' ? triggerLimits.notificationAttemptsMax : limits.deliveriesMax
}

/** The queue of a queue's dead letters. */
export const deadLetterQueueOf = (queue: string): string => `${queue}-dead`

/** The bucket: its name must differ from those of all accounts. */
export const bucketNameOf = (installation: string, account: string, region: string): string =>
  `${installation}-${account}-${region}`

/** The role that a function runs as: owners of stacks name it in their trust policies. */
export const roleNameOf = (installation: string, part: string, region: string): string =>
  `${installation}-${part}-${region}`

/** The external id that a role of a stack asks for: the installation and the stack's id. */
export const externalIdOf = (installation: string, stack: string): string =>
  `${installation}/${stack}`

/** Tags of what belongs to an installation, for bills and for `antichain platform status`. */
export const awsTags = {
  installation: 'antichain:installation',
  part: 'antichain:part',
  apiUrl: 'antichain:api-url',
  webhookUrl: 'antichain:webhook-url',
} as const
