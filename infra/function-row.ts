import type {
  AwsVariable,
  LongQueueName,
  QueueName,
  bucketPrefixes,
} from '../shared/config/aws-resource-names.ts'
import type { CatalogPartition, JournalPartition } from '../shared/config/table-partitions.ts'
import type { PartitionGrants } from './partition-grants.ts'
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
  readonly journalTable?: TableUse
  readonly catalogTable?: TableUse
  /** Partitions of the journal that the function may use, in addition to `journalTable`. */
  readonly journalPartitions?: PartitionGrants<JournalPartition>
  /** Partitions of the catalog that the function may use, in addition to `catalogTable`. */
  readonly catalogPartitions?: PartitionGrants<CatalogPartition>
  /** Partitions of the catalog that the function must not use in spite of `catalogTable`. */
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
  /** Whether the function counts the messages of the queues in `sends`. */
  readonly readsDepthsOfSends?: boolean
  /** Whether the function counts the dead letters of all queues. */
  readonly countsDeadLetters?: boolean
  /** Lists dead letters of these queues and sends them again. */
  readonly redrives?: readonly QueueName[]
  /** The use of the secrets key for secrets of triggers. `seal`: encrypt. `open`: decrypt. */
  readonly triggerSecrets?: 'seal' | 'open'
  /**
   * The use of the secrets key for data keys of stacks. `open`: decrypt. `replace`: encrypt and
   * decrypt.
   */
  readonly stackSecrets?: 'open' | 'replace'
  /**
   * The use of the secrets key for the data keys of the secrets manager `service`. `open`: decrypt.
   * `create`: encrypt and decrypt.
   */
  readonly serviceKeys?: 'create' | 'open'
  /** Whether the function assumes the roles that stacks name, for deployment credentials. */
  readonly assumesDeploymentRoles?: boolean
  /** The use of schedules in the installation's schedule group. `create` includes `remove`. */
  readonly schedules?: 'create' | 'remove'
  /** Calls these functions. */
  readonly calls?: readonly FunctionName[]
  /** Whether the function sets the number of tasks of the long pool, and counts its messages. */
  readonly scalesLongPool?: boolean
}

/** The name of a function, without the installation's name. */
export type FunctionName =
  | 'webhook'
  | 'schedule'
  | 'api'
  | 'service'
  | 'step-generator'
  | 'step-executor'
  | 'installer'
  | 'compaction'
  | 'scaler'

/** A function: its code, size, configuration and permissions. */
export interface FunctionRow {
  readonly name: FunctionName
  /** The entry file, relative to the project. It exports `handler`. */
  readonly entry: string
  /** The entry file of the tasks of this function in the long pool, relative to the project. */
  readonly longEntry?: string
  readonly packaging: 'zip' | 'image'
  /**
   * Whether each group of stacks has this function, for its own resources. Absent: all groups share
   * one function, which may use the resources of all groups.
   */
  readonly isPerGroup?: boolean
  readonly memoryMb: (settings: Settings) => number
  /** Whether the function sends traces, metrics and logs to the collector of the settings. */
  readonly sendsTelemetry?: boolean
  /** The size of the folder `/tmp`. Absent: the default of Lambda, 512 MB. */
  readonly scratchMb?: (settings: Settings) => number
  readonly timeoutSeconds: number
  /**
   * Concurrent calls that Lambda reserves and allows at most; 0 for no reservation. Absent for a
   * function with a queue, because each refused call would count as a delivery of its messages.
   */
  readonly reservedConcurrency?: (settings: Settings) => number
  /**
   * Whether the function is outside of the VPC of the settings. So it reaches ECS without an
   * endpoint, which is billed by the hour.
   */
  readonly isOutsideVpc?: boolean
  /** Whether an execution environment serves one tenant only. Each call must name its tenant. */
  readonly isolatesTenants?: boolean
  /** Files that are copied next to the bundle, because the function's processes need them. */
  readonly extraFiles?: readonly string[]
  /** Built folders that are copied next to the bundle, by their names there. */
  readonly extraFolders?: Readonly<Record<string, string>>
  /** The queue whose messages Lambda passes to the function. */
  readonly consumes?: {
    readonly queue: QueueName
    readonly batchSize: number
    readonly concurrencyMax?: (settings: Settings) => number
  }
  /** The queue whose messages the tasks of this function in the long pool receive. */
  readonly longQueue?: LongQueueName
  readonly variables: readonly AwsVariable[]
  readonly grants: Grants
}

/** Returns the tables of which a function uses items. */
export function usedTablesOf(grants: Grants): readonly ('journalTable' | 'catalogTable')[] {
  const usesJournal = (grants.journalTable ?? grants.journalPartitions) !== undefined
  const usesCatalog = (grants.catalogTable ?? grants.catalogPartitions) !== undefined
  return [
    ...(usesJournal ? ['journalTable' as const] : []),
    ...(usesCatalog ? ['catalogTable' as const] : []),
  ]
}
