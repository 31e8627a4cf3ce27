/**
 * The resource names of an installation on AWS, and the environment variables that its
 * infrastructure sets and its functions read. Infrastructure and functions use this one table, so
 * neither can use a name that the other does not know.
 */

/** Environment variables of the functions and of the tasks of the long pool. */
export const awsVariables = {
  installation: 'ANTICHAIN_INSTALLATION',
  journalTable: 'ANTICHAIN_JOURNAL_TABLE',
  catalogTable: 'ANTICHAIN_CATALOG_TABLE',
  bucket: 'ANTICHAIN_BUCKET',
  chainsQueue: 'ANTICHAIN_CHAINS_QUEUE',
  chainsLongQueue: 'ANTICHAIN_CHAINS_LONG_QUEUE',
  /**
   * Dead-letter queues of both chain queues. The process that closes a deployment reports their
   * messages.
   */
  chainsDeadQueue: 'ANTICHAIN_CHAINS_DEAD_QUEUE',
  chainsLongDeadQueue: 'ANTICHAIN_CHAINS_LONG_DEAD_QUEUE',
  nudgesQueue: 'ANTICHAIN_NUDGES_QUEUE',
  nudgesLongQueue: 'ANTICHAIN_NUDGES_LONG_QUEUE',
  notificationsQueue: 'ANTICHAIN_NOTIFICATIONS_QUEUE',
  /** Notifications that could not be delivered. The API lists them and can send them again. */
  notificationsDeadQueue: 'ANTICHAIN_NOTIFICATIONS_DEAD_QUEUE',
  /** The KMS key for secrets, as an ARN. */
  secretsKey: 'ANTICHAIN_KEY',
  scheduleGroup: 'ANTICHAIN_SCHEDULE_GROUP',
  /** The role that EventBridge Scheduler assumes to call the schedule function, as an ARN. */
  scheduleRole: 'ANTICHAIN_SCHEDULE_ROLE',
  scheduleFunction: 'ANTICHAIN_SCHEDULE_FUNCTION',
  compactionFunction: 'ANTICHAIN_COMPACTION_FUNCTION',
  /** The function of the API, as an ARN. */
  apiFunction: 'ANTICHAIN_API_FUNCTION',
  installerFunction: 'ANTICHAIN_INSTALLER_FUNCTION',
  /** The function that sets the number of tasks of the long pool, as an ARN. */
  scalerFunction: 'ANTICHAIN_SCALER_FUNCTION',
  /** The maximum number of tasks of each service of the long pool. */
  longTasksMax: 'ANTICHAIN_LONG_TASKS_MAX',
  webhookUrl: 'ANTICHAIN_WEBHOOK_URL',
  /** The address of the API, which also serves the dashboard. */
  apiUrl: 'ANTICHAIN_API_URL',
  /** The address for Pulumi's own command line. */
  serviceUrl: 'ANTICHAIN_SERVICE_URL',
  /** The maximum of open event streams of the installation. */
  streamsMax: 'ANTICHAIN_STREAMS_MAX',
  /** The number of operations that a generator may run at the same time in its own process. */
  inlineMax: 'ANTICHAIN_INLINE_MAX',
  /** The groups of the installation, as in its setting. Absent: it has only the default group. */
  groups: 'ANTICHAIN_GROUPS',
  /** The KMS keys of these groups, as ARNs that commas separate. */
  groupKeys: 'ANTICHAIN_GROUP_KEYS',
  /** The pool of the process: `short` in a function, `long` in a task. */
  pool: 'ANTICHAIN_POOL',
} as const

/** The variable with the public address of the dashboard. Absent without the setting. */
export const publicUrlVariable = 'ANTICHAIN_PUBLIC_URL'

/** Variables with the size of a task of the long pool: processor units, and memory in MB. */
export const taskSizeVariables = {
  cpuUnits: 'ANTICHAIN_TASK_CPU',
  memoryMb: 'ANTICHAIN_TASK_MB',
} as const

/** The key of an environment variable in `awsVariables`. */
export type AwsVariable = keyof typeof awsVariables

/** Attributes of both tables: the partition key and the sort key, both texts, and the expiry. */
export const tableKeys = { partition: 'pk', sort: 'sk', expires: 'expires' } as const

/** Key prefixes of the bucket. The permissions of functions are granted per prefix. */
export const bucketPrefixes = {
  /** Immutable bytes by their hash: snapshots, plan pages, large records, assets, programs. */
  blobs: 'blobs/',
  /** Provider plugins by their checksum, unpacked by executors and generators. */
  plugins: 'plugins/',
  /** Packed programs that the installer uploads, for the generator that called it. */
  installs: 'installs/',
} as const

/**
 * The purpose of a secret, as fields of the KMS encryption context. Functions that handle triggers
 * may use the key for trigger secrets only, executors for secrets of stacks only.
 */
export const keyPurpose = {
  /** The field whose value is one of the two purposes below. */
  purposeField: 'antichain-purpose',
  /** Secrets of webhooks and notifications. */
  trigger: 'trigger',
  /** The data keys of stacks for the secrets manager `service`. */
  service: 'service',
  /** The field of the encryption context that names the stack of a data key by its id. */
  stackField: 'antichain-stack',
  /** The field of the encryption context that names the document with a trigger's secret. */
  documentField: 'antichain-place',
} as const

/**
 * Metrics that functions and tasks write to their logs in the embedded metric format. Each metric
 * has the dimension `Installation`. Alarms read the metrics.
 */
export const awsMetrics = {
  namespace: 'Antichain',
  dimension: 'Installation',
  /** Number of open deployments without a living holder. Written only if there is one. */
  stuckDeployments: 'StuckDeployments',
  /** Time from the `closing` record of a deployment to its compaction, in seconds. */
  compactionLag: 'CompactionLagSeconds',
  /**
   * Number of dead letters, stuck deployments and late snapshots. Compaction writes it only if
   * there is one. A metric without values costs nothing.
   */
  problems: 'Problems',
} as const

/**
 * Names of an installation's resources in its account and region. Each begins with the name of the
 * installation.
 */
export interface InstallationNames {
  readonly dataStack: string
  readonly mainStack: string
  readonly journalTable: string
  readonly catalogTable: string
  readonly queues: Readonly<Record<QueueName, string>>
  readonly scheduleGroup: string
}

/** The queues. Each has a dead-letter queue of the same name with the suffix `-dead`. */
export const queueNames = [
  'chains',
  'chains-long',
  'nudges',
  'nudges-long',
  'notifications',
] as const

/** The name of a queue, without the installation. */
export type QueueName = (typeof queueNames)[number]

/** The names of the queues of the long pool. */
export const longQueueNames = ['chains-long', 'nudges-long'] as const satisfies readonly QueueName[]

/** The name of a queue of the long pool. */
export type LongQueueName = (typeof longQueueNames)[number]

/**
 * The services of the long pool in ECS, by the queue whose messages their tasks receive. Their
 * cluster has the name of the installation, or that of `groupInstallationOf`.
 */
export const longPoolServices = {
  'chains-long': 'long-step-executor',
  'nudges-long': 'long-step-generator',
} as const satisfies Record<LongQueueName, string>

/** The default name of an installation. */
export const defaultInstallation = 'antichain'

/** The pattern of installation names. Names are short, because resource names begin with them. */
export const installationPattern = /^[a-z][a-z0-9-]{1,19}$/

/**
 * Returns the name with which the names of a group's resources begin. The names of installations
 * contain no `_`, so no pattern such as `<installation>-*` matches resources of a group.
 */
export const groupInstallationOf = (installation: string, group: string): string =>
  `${installation}_${group}`

/**
 * Maximum length of `groupInstallationOf`: IAM limits the names of roles to 64 characters, and the
 * longest one is `<name>-long-step-generator-<region>`.
 */
export const groupInstallationCharsMax = 29

/** Returns the resource names of an installation, or of a group by `groupInstallationOf`. */
export function installationNamesOf(installation: string): InstallationNames {
  const withInstallation = (part: string): string => `${installation}-${part}`
  return {
    dataStack: withInstallation('data'),
    mainStack: installation,
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

/** Returns the name of a queue's dead-letter queue. */
export const deadLetterQueueOf = (queue: string): string => `${queue}-dead`

/** Returns the name of the alarm on a queue's dead letters, without the installation. */
export const deadLetterAlarmOf = (queue: QueueName): string => `dead-${queue}`

/** The name of the only alarm of an installation with `alarms=one`, without the installation. */
export const singleAlarmName = 'problems'

/**
 * Returns the name of the bucket, which must be unique across all AWS accounts. The bucket name of
 * a group ends with the name of the group, because S3 allows no `_` in it.
 */
export function bucketNameOf(installation: string, account: string, region: string): string {
  const [name = '', group] = installation.split('_')
  return [name, account, region, ...(group === undefined ? [] : [group])].join('-')
}

/** Returns the name of a function's role. Owners of stacks name it in their trust policies. */
export const roleNameOf = (installation: string, part: string, region: string): string =>
  `${installation}-${part}-${region}`

/**
 * Returns the external id that the role of a stack requires: the installation and the stack's id.
 */
export const externalIdOf = (installation: string, stack: string): string =>
  `${installation}/${stack}`

/** Tags of an installation's resources, for bills and for `antichain platform status`. */
export const awsTags = {
  installation: 'antichain:installation',
  /** The construct of the infrastructure that creates the resource, so that bills show its cost. */
  part: 'antichain:part',
  /** The group of stacks, on the resources of groups besides the default one. */
  group: 'antichain:group',
  apiUrl: 'antichain:api-url',
  serviceUrl: 'antichain:service-url',
  webhookUrl: 'antichain:webhook-url',
  /** The names of the groups besides the default one, separated by spaces. */
  groups: 'antichain:groups',
} as const

/**
 * The parameters of both CloudFormation stacks that keep the settings of the keys. A deployment
 * without a value for a parameter uses the value of the previous one.
 */
export const keyParameters = {
  dataKey: 'DataKeySetting',
  secretsKey: 'SealingKeySetting',
} as const

/** Returns the alias of the key for data or for secrets, of an installation or a group. */
export const keyAliasOf = (installation: string, kind: 'data' | 'secrets'): string =>
  `alias/${installation}-${kind}`
