import type { AwsVariable, QueueName, bucketPrefixes } from '../shared/config/aws-resource-names.ts'
import type { Settings } from './settings.ts'

/** A first part of the bucket's keys. */
export type BucketPart = keyof typeof bucketPrefixes

/**
 * How much of a table: `read` alone; with `write` items may be put and changed one at a time, with
 * `batch` many at once, with `remove` also taken away.
 */
export type TableUse = 'read' | 'write' | 'batch' | 'remove'

/** All that a function may do. What is not named here is denied. */
export interface Grants {
  readonly journal?: TableUse
  readonly catalog?: TableUse
  readonly reads?: readonly BucketPart[]
  readonly puts?: readonly BucketPart[]
  /** Puts objects where none stands; replaces none. */
  readonly creates?: readonly BucketPart[]
  /** Lists and removes objects, that is sweeps. */
  readonly sweeps?: readonly BucketPart[]
  readonly sends?: readonly QueueName[]
  /** Looks at dead letters of these queues and makes them messages again. */
  readonly redrives?: readonly QueueName[]
  /** Keys of secrets by purpose: only to encrypt, or both ways. */
  readonly triggerSecrets?: 'seal' | 'open'
  readonly stackSecrets?: 'open'
  /** Takes on the roles that owners of stacks name: deployment credentials. */
  readonly deploys?: boolean
  /** Makes and removes schedules of the installation's group, or only removes. */
  readonly schedules?: 'make' | 'remove'
  /** Has a deployment that it closes folded. */
  readonly callsCompaction?: boolean
}

/** The name of a function, without that of its installation. */
export type FunctionName =
  | 'webhook'
  | 'schedule'
  | 'api'
  | 'step-generator'
  | 'step-executor'
  | 'compaction'

/** A function: where its code is, how large it is, what it is told and what it may do. */
export interface FunctionRow {
  readonly name: FunctionName
  /** Relative to the project. Exports `handler`. */
  readonly entry: string
  /** What the same handler runs from as a task of the long pool, relative to the project. */
  readonly longEntry?: string
  readonly packaging: 'zip' | 'image'
  readonly memoryMb: (settings: Settings) => number
  readonly scratchMb?: (settings: Settings) => number
  readonly timeoutSeconds: number
  /** Files that must lie beside the bundle, because they are started, not loaded. */
  readonly extraFiles?: readonly string[]
  readonly consumes?: {
    readonly queue: QueueName
    readonly batchSize: number
    readonly concurrencyMax?: (settings: Settings) => number
  }
  /** The queue that the long pool's tasks of it take from. */
  readonly longQueue?: QueueName
  readonly places: readonly AwsVariable[]
  readonly grants: Grants
}

/** The longest that Lambda lets a function run. */
const longestSeconds = 900
const everyone = ['installation', 'pool'] as const
const stores = ['journalTable', 'catalogTable', 'bucket'] as const
/** Every queue of work: a name gives no right to it. */
const queues = [
  'chainsQueue',
  'chainsLongQueue',
  'chainsDeadQueue',
  'chainsLongDeadQueue',
  'nudgesQueue',
  'nudgesLongQueue',
] as const
/** The bridge to providers that programs define themselves. */
const plugins = [
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
    places: [...everyone, 'catalogTable', 'nudgesQueue', 'key'],
    grants: { catalog: 'write', sends: ['nudges'], triggerSecrets: 'open' },
  },
  {
    // What happens by itself: schedules that are due, and notifications that are to be sent.
    name: 'schedule',
    entry: 'functions/schedule/main.ts',
    packaging: 'zip',
    memoryMb: () => 512,
    timeoutSeconds: 60,
    consumes: { queue: 'notifications', batchSize: 5, concurrencyMax: () => 5 },
    places: [
      ...everyone,
      ...(['catalogTable', 'nudgesQueue', 'notificationsQueue', 'key', 'scheduleGroup'] as const),
    ],
    grants: {
      catalog: 'write',
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
    // As long as one event stream is kept; clients come again with the last event that they saw.
    timeoutSeconds: 300,
    places: [
      ...everyone,
      ...stores,
      ...queues,
      'notificationsQueue',
      'notificationsDeadQueue',
      'key',
      'scheduleGroup',
      'scheduleRole',
      'scheduleFunction',
      'webhookUrl',
    ],
    grants: {
      // A stack that is removed takes its inbox along, which is in the journal.
      journal: 'remove',
      catalog: 'remove',
      reads: ['blobs', 'plugins'],
      // Programs and plugins are sent to addresses that the API signs: who uses one has this right.
      creates: ['blobs', 'plugins'],
      sends: ['nudges', 'chains', 'chains-long', 'notifications'],
      redrives: ['chains', 'chains-long', 'notifications'],
      triggerSecrets: 'seal',
      schedules: 'make',
    },
  },
  {
    name: 'step-generator',
    entry: 'functions/step-generator/main.ts',
    longEntry: 'functions/step-generator/long-pool-task.ts',
    packaging: 'image',
    memoryMb: ({ generatorMb }) => generatorMb,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: longestSeconds,
    extraFiles: plugins,
    consumes: {
      queue: 'nudges',
      batchSize: 1,
      concurrencyMax: ({ generatorsMax }) => generatorsMax,
    },
    longQueue: 'nudges-long',
    places: [...everyone, ...stores, ...queues, 'notificationsQueue', 'compactionFunction', 'key'],
    grants: {
      journal: 'remove',
      catalog: 'remove',
      reads: ['blobs', 'plugins'],
      puts: ['blobs'],
      sends: ['chains', 'chains-long', 'nudges', 'nudges-long', 'notifications'],
      redrives: ['chains', 'chains-long'],
      triggerSecrets: 'open',
      stackSecrets: 'open',
      deploys: true,
      callsCompaction: true,
    },
  },
  {
    name: 'step-executor',
    entry: 'functions/step-executor/main.ts',
    longEntry: 'functions/step-executor/long-pool-task.ts',
    packaging: 'zip',
    memoryMb: ({ executorMb }) => executorMb,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: longestSeconds,
    extraFiles: plugins,
    // A message names up to 64 operations, which is what one executor runs at once.
    consumes: {
      queue: 'chains',
      batchSize: 1,
      concurrencyMax: ({ executorsMax }) => executorsMax,
    },
    longQueue: 'chains-long',
    places: [...everyone, ...stores, ...queues, 'key'],
    grants: {
      journal: 'batch',
      catalog: 'read',
      reads: ['blobs', 'plugins'],
      puts: ['blobs'],
      sends: ['chains', 'chains-long', 'nudges'],
      stackSecrets: 'open',
      deploys: true,
    },
  },
  {
    name: 'compaction',
    entry: 'functions/compaction/main.ts',
    packaging: 'zip',
    memoryMb: ({ compactionMb }) => compactionMb,
    timeoutSeconds: longestSeconds,
    places: [...everyone, ...stores, ...queues, 'key'],
    grants: {
      journal: 'remove',
      catalog: 'remove',
      reads: ['blobs'],
      puts: ['blobs'],
      sweeps: ['blobs'],
      sends: ['nudges'],
    },
  },
]
