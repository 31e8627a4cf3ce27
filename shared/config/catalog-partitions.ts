/**
 * Patterns of the partition keys of the catalog, by the contents of the partitions. The permissions
 * of functions are granted per pattern. `*` matches any text.
 */
export const catalogPartitions = {
  stacks: 'stack *',
  requests: 'requests *',
  /** The list of stacks that ever had a request. */
  requestingStacks: 'asking',
  marks: 'mark *',
  webhooks: 'documents webhook',
  schedules: 'documents schedule',
  notifications: 'documents notification',
} as const

/** A group of partitions of the catalog. */
export type CatalogPartition = keyof typeof catalogPartitions
