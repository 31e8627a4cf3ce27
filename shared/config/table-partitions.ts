/**
 * Patterns of the partition keys of the catalog, by the contents of the partitions. The permissions
 * of functions are granted per pattern. `*` matches any text.
 */
export const catalogPartitions = {
  stacks: 'stack *',
  stackList: 'stacks',
  /** The list of deployments that may have records. */
  deploymentList: 'deployments',
  history: 'history *',
  versions: 'versions *',
  requests: 'requests *',
  /** The approvals of requests, and the last programs of stacks. */
  approvals: 'approvals *',
  /** The list of stacks that ever had a request or a program. */
  requestingStacks: 'asking',
  endedRequests: 'ended requests',
  marks: 'mark *',
  /** The marks of open event streams. */
  streamMarks: 'mark stream *',
  webhooks: 'documents webhook',
  schedules: 'documents schedule',
  notifications: 'documents notification',
  deliveryHistories: 'documents delivery-history',
  federations: 'documents federation',
  tokens: 'documents token',
  pluginSources: 'documents plugin-source',
  packageRegistries: 'documents package-registry',
  clientUpdates: 'documents client-update',
  stackSettings: 'documents stack-settings',
  documents: 'documents *',
  audit: 'audit *',
  /** The ids of the entries of the audit log. */
  auditIds: 'audited *',
} as const

/** Patterns of the partition keys of the journal, as for the catalog. */
export const journalPartitions = {
  controls: 'control *',
  logs: 'log *',
  events: 'events *',
  /** The writers of events, each with the number of its first chunk. */
  eventWriters: 'writers *',
  /** The counted usage of deployments. */
  usage: 'usage *',
} as const

/** A kind of partitions of the catalog. */
export type CatalogPartition = keyof typeof catalogPartitions

/** A kind of partitions of the journal. */
export type JournalPartition = keyof typeof journalPartitions
