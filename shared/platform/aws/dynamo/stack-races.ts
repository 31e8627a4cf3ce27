import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { TargetedDeployment } from '../../../ports/catalog.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { Table } from './table/table.ts'

/** Dependencies of the catalog. */
export interface CatalogDeps {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/** Dependencies of the catalog with the inboxes of stacks, which are in the journal table. */
export type CatalogAndInboxDeps = CatalogDeps & { readonly journalTable: Table }

/**
 * Repeats `attempt` until it returns a value. An attempt returns undefined when another writer
 * changed the stack between the read and the write of the attempt. Throws STORE_UNAVAILABLE after
 * `raceAttemptsMax` attempts.
 */
export async function retryWhileRacing<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let number = 1; number <= limits.raceAttemptsMax; number += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw createError('STORE_UNAVAILABLE', 'gave up changing the stack: it was updated concurrently')
}

/**
 * Returns the condition that the targeted deployments of a stack have not changed since they were
 * read. The item of an older stack may lack the attribute.
 */
export function targetedConditionOf(targeted: readonly TargetedDeployment[]): string {
  return targeted.length > 0
    ? '#targeted = :open'
    : '(attribute_not_exists(#targeted) OR #targeted = :open)'
}

/** Returns the values of `targetedConditionOf`. */
export function targetedValuesOf(targeted: readonly TargetedDeployment[]): {
  readonly open: string
} {
  return { open: targeted.length > 0 ? JSON.stringify(targeted) : '' }
}
