import type { CatalogPartition } from '../shared/config/table-partitions.ts'

/** The partitions of a table that a function may use. */
export interface PartitionGrants<Partition> {
  readonly reads: readonly Partition[]
  /** The partitions in which the function may put and change single items. */
  readonly writes: readonly Partition[]
  /** The partitions in which the function may remove items, and put many items in one request. */
  readonly removes?: readonly Partition[]
}

/** The partitions that a function needs to put each request only once. */
export const requestPartitions = ['requests', 'requestingStacks', 'marks'] as const

/** The partitions of the audit log. */
const auditPartitions = ['audit', 'auditIds'] as const

/**
 * The partitions that executors and compaction must not read or write. A function that wrote a
 * token, a rule of a webhook or an approval would give itself other permissions. Both functions may
 * read the approvals, and the documents of webhooks, schedules and notifications.
 */
export const deniedPartitions = {
  reads: ['federations', 'tokens', ...auditPartitions],
  // `documents` matches the partitions of every kind of document, such as tokens.
  writes: ['documents', 'approvals', ...auditPartitions],
} as const

/**
 * The partitions that generators must not read or write. A generator may write schedules,
 * notifications and programs, because the rename of a stack moves them. Programs are in the
 * partition of approvals.
 */
export const generatorDeniedPartitions = {
  ...deniedPartitions,
  writes: [
    ...['federations', 'tokens', 'webhooks', 'pluginSources', 'packageRegistries'],
    ...auditPartitions,
  ],
} as const

/** The partitions of the catalog that the routes of the API use. */
export const apiPartitions = {
  reads: [
    ...[
      'stacks',
      'stackList',
      'history',
      'versions',
      'requests',
      'approvals',
      'requestingStacks',
      'streamMarks',
    ],
    ...['webhooks', 'schedules', 'notifications', 'federations', 'tokens', ...auditPartitions],
    // `clientUpdates`: the drift of a stack is derived from the deployments of clients too.
    ...[
      'stackSettings',
      'deliveryHistories',
      'clientUpdates',
      'pluginSources',
      'packageRegistries',
    ],
  ],
  writes: [
    ...['stacks', 'stackList', 'requests', 'approvals', 'requestingStacks', 'endedRequests'],
    ...['streamMarks'],
    ...['webhooks', 'schedules', 'notifications', 'federations', 'tokens', ...auditPartitions],
    ...['stackSettings', 'deliveryHistories', 'pluginSources', 'packageRegistries'],
  ],
  // A withdrawn request no longer waits, and a removed stack has no history.
  removes: ['requests', 'approvals', 'history', 'versions'],
} as const satisfies PartitionGrants<CatalogPartition>

/** The partitions of the catalog that the routes for Pulumi's own command line use. */
export const servicePartitions = {
  reads: [
    ...['stacks', 'stackList', 'history', 'versions', 'requests', 'approvals', 'clientUpdates'],
    ...['requestingStacks', 'stackSettings', 'webhooks', 'schedules', 'notifications'],
    ...['federations', 'tokens', 'deliveryHistories'],
  ],
  writes: [
    ...['stacks', 'stackList', 'deploymentList', 'history', 'versions'],
    ...['requests', 'approvals', 'requestingStacks', 'endedRequests'],
    ...['clientUpdates', 'stackSettings', 'schedules', 'notifications', 'deliveryHistories'],
    ...auditPartitions,
  ],
  // A withdrawn request no longer waits, and a removed stack has no history.
  removes: ['requests', 'approvals', 'history', 'versions'],
} as const satisfies PartitionGrants<CatalogPartition>
