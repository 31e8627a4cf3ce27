import { messageOf } from '../../../../errors/error.ts'
import type { Database } from '../database.ts'
import { unavailableReasonOf, createStoreUnavailableError } from '../store-errors.ts'
import { type StoreReply, type StoreRequest, toStoreFailure } from '../store-message.ts'
import type { Method } from './method.ts'
import { parseMethod } from './store-methods.ts'
import { toGuardError } from './record-guards.ts'

/**
 * Runs requests in order as one transaction, and returns their replies. All changes are on disk
 * before the function returns, so the caller can send the replies. When a request fails, only its
 * own changes are undone. When the disk fails, the whole batch is rolled back and every request
 * fails with STORE_UNAVAILABLE. `beforeCommit` may add records to the transaction.
 */
export function runBatch(
  database: Database,
  requests: readonly StoreRequest[],
  beforeCommit: (requests: readonly StoreRequest[], replies: readonly StoreReply[]) => void = () =>
    undefined,
): readonly StoreReply[] {
  try {
    requireInPlace(database)
    database.run('BEGIN IMMEDIATE')
    const replies = requests.map(request => runRequest(database, request, findMethod(request)))
    beforeCommit(requests, replies)
    database.run('COMMIT')
    return replies
  } catch (thrown) {
    rollBack(database)
    const failure = toStoreFailure(createStoreUnavailableError(database.path, thrown))
    return requests.map(({ id }) => ({ id, failure }))
  }
}

/**
 * Runs a request that needs no commit, because it only reads, or uses only temporary tables.
 * Returns its reply, or undefined for any other request. An error becomes a failure in the reply. A
 * read does not wait for queued writes, and succeeds even if they fail on a full disk.
 */
export function replyWithoutCommit(
  database: Database,
  request: StoreRequest,
): StoreReply | undefined {
  const method = findMethod(request)
  if (method === undefined || method.access === 'write' || method.access === 'multiWrite')
    return undefined
  try {
    if (method.access === 'read') requireInPlace(database)
    return runRequest(database, request, method)
  } catch (thrown) {
    return {
      id: request.id,
      failure: toStoreFailure(createStoreUnavailableError(database.path, thrown)),
    }
  }
}

/**
 * Answers requests that only read. Returns undefined if one of the requests is no read, or fails.
 * The owner of the store then answers all of them.
 */
export function replyToReads(
  database: Database,
  requests: readonly StoreRequest[],
): readonly StoreReply[] | undefined {
  if (requests.some(request => findMethod(request)?.access !== 'read')) return undefined
  const replies = requests.map(request => replyWithoutCommit(database, request))
  const answers = replies.filter(reply => reply !== undefined)
  return answers.some(reply => 'failure' in reply) ? undefined : answers
}

/** Throws when the database file was moved or deleted, because new records in it would be lost. */
function requireInPlace(database: Database): void {
  if (!database.isInPlace()) throw new Error('the file was moved or deleted')
}

function findMethod(request: StoreRequest): Method<unknown, unknown> | undefined {
  try {
    return parseMethod(request.method)
  } catch {
    return undefined
  }
}

/** Runs one request and returns its reply. Throws only errors that affect the whole batch. */
function runRequest(
  database: Database,
  { id, method: name, args }: StoreRequest,
  method: Method<unknown, unknown> | undefined,
): StoreReply {
  if (method === undefined)
    return { id, failure: toStoreFailure(`the store has no method ${name}`) }
  const isMultiWrite = method.access === 'multiWrite'
  try {
    if (isMultiWrite) database.run('SAVEPOINT request')
    const value = method.run(database, args)
    if (isMultiWrite) database.run('RELEASE request')
    return { id, value }
  } catch (thrown) {
    if (unavailableReasonOf(thrown) !== undefined) throw thrown
    if (isMultiWrite) {
      database.run('ROLLBACK TO request')
      database.run('RELEASE request')
    }
    return { id, failure: toStoreFailure(toGuardError(thrown, args)) }
  }
}

/**
 * Rolls back the open transaction. Does nothing when SQLite has already rolled it back after a disk
 * error. Throws when the rollback fails.
 */
function rollBack(database: Database): void {
  if (!database.isInTransaction()) return
  try {
    database.run('ROLLBACK')
  } catch (thrown) {
    throw new Error(`the rollback of a failed transaction failed: ${messageOf(thrown)}`)
  }
}
