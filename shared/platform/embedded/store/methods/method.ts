import type { Database } from '../database.ts'

/**
 * A method of the store: a synchronous function of the database and plain data (JSON values, no
 * undefined) that returns plain data. `read` changes no record, and `volatile` uses temporary
 * tables only. The store replies to both immediately. `write` changes records by one statement, and
 * `multiWrite` atomically by several statements. The store replies after the commit.
 */
export interface Method<Args, Result> {
  readonly access: 'read' | 'write' | 'multiWrite' | 'volatile'
  readonly run: (database: Database, args: Args) => Result
}

/** Defines a method that only reads. */
export function defineRead<Args, Result>(run: Method<Args, Result>['run']): Method<Args, Result> {
  return { access: 'read', run }
}

/** Defines a method that changes records by one statement. */
export function defineWrite<Args, Result>(run: Method<Args, Result>['run']): Method<Args, Result> {
  return { access: 'write', run }
}

/** Defines a method that uses temporary tables only. */
export function defineVolatile<Args, Result>(
  run: Method<Args, Result>['run'],
): Method<Args, Result> {
  return { access: 'volatile', run }
}

/** Defines a method that changes records atomically by several statements. */
export function defineMultiWrite<Args, Result>(
  run: Method<Args, Result>['run'],
): Method<Args, Result> {
  return { access: 'multiWrite', run }
}
