import type { ExecutorId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'

const prefix = 'generator-'

/** The lease of a generator's life has a name of its own beside those of executors. */
export function generatorLeaseIdOf({ started }: Pick<Holder, 'started'>): ExecutorId {
  return `${prefix}${started}` as ExecutorId
}

/** Whether a lease is that of a generator's life, under which no operation is ever begun. */
export function isGeneratorLease(executor: ExecutorId): boolean {
  return executor.startsWith(prefix)
}
