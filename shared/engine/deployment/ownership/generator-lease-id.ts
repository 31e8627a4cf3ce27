import type { ExecutorId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'

const prefix = 'generator-'

/** Returns the lease id of a generator run. It differs from all executor ids. */
export function generatorLeaseIdOf({ started }: Pick<Holder, 'started'>): ExecutorId {
  return `${prefix}${started}` as ExecutorId
}

/**
 * Reports whether a lease belongs to a generator run. No operation is ever begun under such a
 * lease.
 */
export function isGeneratorLease(executor: ExecutorId): boolean {
  return executor.startsWith(prefix)
}
