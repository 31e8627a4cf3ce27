import type { Database } from '../database.ts'

/**
 * One thing that the store can do: a synchronous function of the database and plain data (JSON
 * values, no undefined), answering plain data. `read` changes nothing; `write` is one statement
 * that changes something; `writes` several, which stand or fall together. `passing` concerns only
 * what goes with the process: it waits for no disk, and is answered at once.
 */
export interface Method<Args, Result> {
  readonly effect: 'read' | 'write' | 'writes' | 'passing'
  readonly run: (database: Database, args: Args) => Result
}

/** A method that only reads. */
export function defineRead<Args, Result>(run: Method<Args, Result>['run']): Method<Args, Result> {
  return { effect: 'read', run }
}

/** A method that changes something with one statement. */
export function defineWrite<Args, Result>(run: Method<Args, Result>['run']): Method<Args, Result> {
  return { effect: 'write', run }
}

/** A method of tables that go with the process. */
export function defineVolatile<Args, Result>(
  run: Method<Args, Result>['run'],
): Method<Args, Result> {
  return { effect: 'passing', run }
}

/** A method of several changes. */
export function defineMultiWrite<Args, Result>(
  run: Method<Args, Result>['run'],
): Method<Args, Result> {
  return { effect: 'writes', run }
}
