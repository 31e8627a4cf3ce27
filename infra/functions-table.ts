import type { AwsVariable, QueueName, bucketPrefixes } from '../shared/config/aws-resource-names.ts'
import { programLimits } from '../shared/config/program-limits.ts'
import type { CatalogPartition, JournalPartition } from '../shared/config/table-partitions.ts'
import {
  apiPartitions,
  deniedPartitions,
  generatorDeniedPartitions,
  type PartitionGrants,
  requestPartitions,
} from './partition-grants.ts'
import { computeReservations } from './reserved-concurrency.ts'
import type { Settings } from './settings.ts'

/** The name of a key prefix of the bucket. */
export type BucketPrefixName = keyof typeof bucketPrefixes

/**
 * The use of a table. Each value includes the previous one. `read`: read items. `write`: put and
 * change single items. `remove`: remove items, and write batches, which can remove items too.
 */
export type TableUse = 'read' | 'write' | 'remove'

/** The permissions that differ between functions. Each role may also use its log and its queue. */
export interface Grants {
  readonly journal?: TableUse
  readonly catalog?: TableUse
  /** Partitions of the journal that the function may use, in addition to `journal`. */
  readonly journalPartitions?: PartitionGrants<JournalPartition>
  /** Partitions of the catalog that the function may use, in addition to `catalog`. */
  readonly catalogPartitions?: PartitionGrants<CatalogPartition>
  /** Partitions of the catalog that the function must not use in spite of `catalog`. */
  readonly deniedPartitions?: {
    readonly reads: readonly CatalogPartition[]
    readonly writes: readonly CatalogPartition[]
  }
  /** Reads objects with these prefixes. */
  readonly reads?: readonly BucketPrefixName[]
  /** Creates and replaces objects. */
  readonly puts?: readonly BucketPrefixName[]
  /** Creates objects, but never replaces one. */
  readonly creates?: readonly BucketPrefixName[]
  /** Lists and removes objects, to sweep them. */
  readonly sweeps?: readonly BucketPrefixName[]
  /** Sends messages to these queues. */
  readonly sends?: readonly QueueName[]
  /** Lists dead letters of these queues and sends them again. */
  readonly redrives?: readonly QueueName[]
  /** The use of the secrets key. `seal`: encrypt. `open`: decrypt. `replace`: both. */
  readonly triggerSecrets?: 'seal' | 'open'
  readonly stackSecrets?: 'open' | 'replace'
  /** Whether the function assumes the roles that stacks name, for deployment credentials. */
  readonly assumesDeploymentRoles?: boolean
  /** The use of schedules in the installation's group. `create` includes `remove`. */
  readonly schedules?: 'create' | 'remove'
  /** Calls these functions, and waits for their results. */
  readonly calls?: readonly FunctionName[]
}

/** The name of a function, without the installation's name. */
export type FunctionName =
  | 'webhook'
  | 'schedule'
  | 'api'
  | 'step-generator'
  | 'step-executor'
  | 'installer'
  | 'compaction'

/** A function: its code, size, configuration and permissions. */
export interface FunctionRow {
  readonly name: FunctionName
  /** The entry file, relative to the project. It exports `handler`. */
  readonly entry: string
  /** The entry file of the tasks of this function in the long pool, relative to the project. */
  readonly longEntry?: string
  readonly packaging: 'zip' | 'image'
  readonly memoryMb: (settings: Settings) => number
  readonly scratchMb?: (settings: Settings) => number
  readonly timeoutSeconds: number
  /**
   * Concurrent calls that Lambda reserves and allows at most; 0 for no reservation. Only for
   * functions without a queue: each refused call would count as a delivery of a message.
   */
  readonly reservedConcurrency?: (settings: Settings) => number
  /** Whether an environment serves one tenant only. Each call must name its tenant. */
  readonly isolatesTenants?: boolean
  /** Files that are copied next to the bundle, because processes are started from them. */
  readonly extraFiles?: readonly string[]
  /** The queue whose messages Lambda passes to the function. */
  readonly consumes?: {
    readonly queue: QueueName
    readonly batchSize: number
    readonly concurrencyMax?: (settings: Settings) => number
  }
  /** The queue whose messages the tasks of this function in the long pool receive. */
  readonly longQueue?: QueueName
  readonly variables: readonly AwsVariable[]
  readonly grants: Grants
}

/** Maximum time limit of a Lambda function, in seconds. */
const lambdaLimitSeconds = 900
const commonVariables = ['installation', 'pool'] as const
const storeVariables = ['journalTable', 'catalogTable', 'bucket'] as const
/** The queues of chains and nudges. The variable of a queue gives no permission for the queue. */
const queueVariables = [
  'chainsQueue',
  'chainsLongQueue',
  'chainsDeadQueue',
  'chainsLongDeadQueue',
  'nudgesQueue',
  'nudgesLongQueue',
] as const
/** The plugin for dynamic providers of programs. */
const pluginFiles = [
  'shared/providers/plugins/pulumi-resource-pulumi-nodejs',
  'shared/providers/plugins/dynamic-provider.mjs',
]

/** Every function of an installation. */
export const functionsTable: readonly FunctionRow[] = [
  {
    name: 'webhook',
    entry: 'functions/webhook/main.ts',
    packaging: 'zip',
    memoryMb: () => 512,
    timeoutSeconds: 25,
    reservedConcurrency: settings => computeReservations(settings).webhook,
    variables: [...commonVariables, 'catalogTable', 'nudgesQueue', 'secretsKey'],
    grants: {
      catalogPartitions: {
        reads: [...requestPartitions, 'stacks', 'webhooks'],
        writes: requestPartitions,
      },
      sends: ['nudges'],
      triggerSecrets: 'open',
    },
  },
  {
    // Serves due schedules, and delivers notifications.
    name: 'schedule',
    entry: 'functions/schedule/main.ts',
    packaging: 'zip',
    memoryMb: () => 512,
    timeoutSeconds: 60,
    consumes: { queue: 'notifications', batchSize: 5, concurrencyMax: () => 5 },
    variables: [
      ...commonVariables,
      ...(['catalogTable', 'secretsKey'] as const),
      ...(['nudgesQueue', 'notificationsQueue', 'scheduleGroup'] as const),
    ],
    grants: {
      catalogPartitions: {
        // Replies to pull requests use the credential of the webhook.
        reads: [...requestPartitions, 'stacks', 'webhooks', 'schedules', 'notifications'],
        writes: [...requestPartitions, 'schedules'],
      },
      sends: ['nudges', 'notifications'],
      triggerSecrets: 'open',
      schedules: 'remove',
    },
  },
  {
    name: 'api',
    entry: 'functions/api/main.ts',
    packaging: 'zip',
    memoryMb: ({ apiMb }) => apiMb,
    // Maximum duration of an event stream; clients reconnect with their last event.
    timeoutSeconds: 300,
    reservedConcurrency: settings => computeReservations(settings).api,
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      'notificationsQueue',
      'notificationsDeadQueue',
      'secretsKey',
      'scheduleGroup',
      'scheduleRole',
      'scheduleFunction',
      'streamsMax',
      'webhookUrl',
    ],
    grants: {
      journal: 'read',
      // To cancel a deployment, the API raises the stop flag in its control record.
      journalPartitions: { reads: [], writes: ['controls'] },
      catalogPartitions: apiPartitions,
      reads: ['blobs', 'plugins'],
      // Programs and plugins are uploaded to signed addresses, which carry the API's permissions.
      creates: ['blobs', 'plugins'],
      sends: ['nudges', 'chains', 'chains-long', 'notifications'],
      redrives: ['chains', 'chains-long', 'notifications'],
      triggerSecrets: 'seal',
      schedules: 'create',
    },
  },
  {
    name: 'step-generator',
    entry: 'functions/step-generator/main.ts',
    longEntry: 'functions/step-generator/long-pool-task.ts',
    packaging: 'image',
    memoryMb: ({ generatorMb }) => generatorMb,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: lambdaLimitSeconds,
    extraFiles: pluginFiles,
    consumes: {
      queue: 'nudges',
      batchSize: 1,
      concurrencyMax: ({ generatorsMax }) => generatorsMax,
    },
    longQueue: 'nudges-long',
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      'notificationsQueue',
      'compactionFunction',
      'installerFunction',
      'secretsKey',
    ],
    grants: {
      journal: 'remove',
      catalog: 'remove',
      deniedPartitions: generatorDeniedPartitions,
      reads: ['blobs', 'plugins', 'installs'],
      puts: ['blobs'],
      // The installer uploads to signed addresses, which carry the permissions of the generator.
      creates: ['installs'],
      sends: ['chains', 'chains-long', 'nudges', 'nudges-long', 'notifications'],
      triggerSecrets: 'open',
      stackSecrets: 'replace',
      assumesDeploymentRoles: true,
      calls: ['compaction', 'installer'],
    },
  },
  {
    name: 'step-executor',
    entry: 'functions/step-executor/main.ts',
    longEntry: 'functions/step-executor/long-pool-task.ts',
    packaging: 'zip',
    memoryMb: ({ executorMb }) => executorMb,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: lambdaLimitSeconds,
    extraFiles: pluginFiles,
    // A message names up to 64 operations: as many as one executor runs concurrently.
    consumes: {
      queue: 'chains',
      batchSize: 1,
      concurrencyMax: ({ executorsMax }) => executorsMax,
    },
    longQueue: 'chains-long',
    variables: [...commonVariables, ...storeVariables, ...queueVariables, 'secretsKey'],
    grants: {
      journal: 'write',
      catalog: 'read',
      deniedPartitions,
      reads: ['blobs', 'plugins'],
      puts: ['blobs'],
      sends: ['chains', 'chains-long', 'nudges'],
      stackSecrets: 'open',
      assumesDeploymentRoles: true,
    },
  },
  {
    // Runs the scripts of packages. It has no permission except for its log, so scripts that find
    // its credentials can do nothing with them.
    name: 'installer',
    entry: 'functions/installer/main.ts',
    packaging: 'image',
    memoryMb: ({ generatorMb }) => generatorMb,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: programLimits.installerTimeoutMs / 1_000,
    isolatesTenants: true,
    variables: [],
    grants: {},
  },
  {
    name: 'compaction',
    entry: 'functions/compaction/main.ts',
    packaging: 'zip',
    memoryMb: ({ compactionMb }) => compactionMb,
    timeoutSeconds: lambdaLimitSeconds,
    variables: [...commonVariables, ...storeVariables, ...queueVariables, 'secretsKey'],
    grants: {
      journal: 'remove',
      catalog: 'remove',
      deniedPartitions,
      reads: ['blobs'],
      puts: ['blobs'],
      sweeps: ['blobs'],
      sends: ['nudges'],
    },
  },
]
