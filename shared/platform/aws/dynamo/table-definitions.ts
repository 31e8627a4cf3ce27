import { tableKeys } from '../../../config/aws-resource-names.ts'

/** The definition of one table. The installation chooses the name of the table. */
export interface TableDefinition {
  readonly partitionKey: string
  readonly sortKey: string
  /**
   * The attribute with the expiry, in seconds since 1970. DynamoDB deletes an expired item some
   * time later, at no cost.
   */
  readonly expiryAttribute: string
  /** Whether the table can be restored to its contents at an earlier time. */
  readonly pointInTimeRecovery: boolean
}

const recordTable = {
  partitionKey: tableKeys.partition,
  sortKey: tableKeys.sort,
  expiryAttribute: tableKeys.expires,
  pointInTimeRecovery: true,
} as const

/**
 * The tables. `journal` contains the records of deployments, and for each stack the late outcomes,
 * the durations of slow operations and the limits of calls. `catalog` contains the stacks and
 * everything else. Executors only read the catalog. Both have string keys and no index, and are
 * billed per request.
 */
export const tables = {
  journal: recordTable,
  catalog: recordTable,
} as const satisfies Record<string, TableDefinition>

/** The id of a table. */
export type TableId = keyof typeof tables

/** The names of an installation's tables. */
export type TableNames = Readonly<Record<TableId, string>>
