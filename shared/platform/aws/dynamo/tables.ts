/** Names of the attributes that DynamoDB itself is told about. */
export const attributes = {
  /** Partition key, a string. */
  partition: 'pk',
  /** Sort key, a string. */
  sort: 'sk',
  /** Seconds since 1970; DynamoDB removes the item some time after it, at no cost. */
  expires: 'ttl',
} as const

/** One table, without its name, which is the installation's. */
export interface TableDefinition {
  readonly partitionKey: string
  readonly sortKey: string
  /** The attribute by which items expire; absent: nothing does. */
  readonly expires?: string
  /** Whether it must be possible to go back to an earlier moment of it. */
  readonly pointInTimeRecovery: boolean
}

const keys = { partitionKey: attributes.partition, sortKey: attributes.sort } as const

/**
 * The tables. `journal`: what is durable while a deployment runs. `catalog`: stacks, history,
 * inboxes. Both have string keys, no index, and are billed by request.
 */
export const tables = {
  journal: { ...keys, expires: attributes.expires, pointInTimeRecovery: true },
  catalog: { ...keys, pointInTimeRecovery: true },
} as const satisfies Record<string, TableDefinition>

/** Which table. */
export type TableId = keyof typeof tables

/** The names that an installation gave its tables. */
export type TableNames = Readonly<Record<TableId, string>>
