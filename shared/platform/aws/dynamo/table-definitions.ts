import { tableKeys } from '../../../config/aws-resource-names.ts'

/** One table, without its name, which is the installation's. */
export interface TableDefinition {
  readonly partitionKey: string
  readonly sortKey: string
  /** Seconds since 1970; DynamoDB removes an item that has it some time later, at no cost. */
  readonly expires: string
  /** Whether it must be possible to go back to an earlier moment of it. */
  readonly pointInTimeRecovery: boolean
}

const keyed = {
  partitionKey: tableKeys.partition,
  sortKey: tableKeys.sort,
  expires: tableKeys.expires,
  pointInTimeRecovery: true,
} as const

/**
 * The tables. `journal`: what executors write, which is what is durable while a deployment runs,
 * and the inboxes. `catalog`: stacks, history, requests, documents, which executors only read. Both
 * have string keys, no index, and are billed by request.
 */
export const tables = {
  journal: keyed,
  catalog: keyed,
} as const satisfies Record<string, TableDefinition>

/** Which table. */
export type TableId = keyof typeof tables

/** The names that an installation gave its tables. */
export type TableNames = Readonly<Record<TableId, string>>
