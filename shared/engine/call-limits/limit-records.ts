import * as z from 'zod'
import type { DocumentKey, DocumentsPort } from '../../ports/documents.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { parseForm } from '../../values/parse-form.ts'
import type { CallLimit } from './call-limit.ts'
import { createLimitRecord, type LimitRecord } from './limit-record.ts'

const recordForm = z.object({
  label: z.string(),
  rule: z.object({
    intervalMs: z.number().min(0),
    burst: z.int().min(1),
    concurrency: z.int().min(1).optional(),
  }),
  nextAt: z.number(),
  deployments: z.record(z.string(), z.object({ seenAt: z.number(), nextAt: z.number() })),
  calls: z.record(z.string(), z.number()),
  slowdown: z
    .object({ callsPerSecond: z.number().positive(), loweredAt: z.number(), raisedAt: z.number() })
    .optional(),
})

/** The ports for changes of limit records. */
export interface LimitRecordsDeps {
  readonly callLimits: Pick<DocumentsPort, 'get' | 'putExpiring'>
  readonly clock: Pick<ClockPort, 'now' | 'sleep'>
  readonly random: Pick<RandomPort, 'bytes'>
  readonly stack: StackId
}

/**
 * Shortest time for which a record is kept after its last change, in ms. A record whose burst needs
 * longer to refill is kept until then.
 */
const retentionMinMs = 24 * 3_600_000
/**
 * Maximum number of attempts of one write. An attempt fails when another process has changed the
 * record.
 */
const attemptsMax = 20
/** Each failed attempt adds this time to the longest pause before the next attempt, in ms. */
const pauseGrowthMs = 20

/** The records of limits, for one process. */
export interface LimitRecords {
  /**
   * Changes the record of a limit by compare-and-set. `change` returns the same record when nothing
   * must be written, and may be called again. Changes of one process share a write. Returns the
   * result of `change`, or undefined after too many changes of other processes. Throws the errors
   * of the store. A record that does not match its form counts as absent, because limits hold no
   * state of stacks.
   */
  readonly change: <T>(limit: CallLimit, change: LimitChange<T>) => Promise<T | undefined>
}

/** A change of a record, with a result for its caller. */
export type LimitChange<T> = (record: LimitRecord) => {
  readonly record: LimitRecord
  readonly result: T
}

/** A change that waits for its write. */
interface PendingChange {
  readonly apply: (record: LimitRecord) => LimitRecord
  readonly resolve: (isWritten: boolean) => void
  readonly reject: (thrown: unknown) => void
}

/** Creates the access of a process to the records. */
export function createLimitRecords(deps: LimitRecordsDeps): LimitRecords {
  const pendingByName = new Map<string, PendingChange[]>()
  const writePending = async (limit: CallLimit, pending: PendingChange[]): Promise<void> => {
    // A change that arrives during a write waits for the next one.
    while (pending.length > 0) {
      const batch = pending.splice(0)
      try {
        const isWritten = await writeChanges(deps, limit, batch)
        for (const { resolve } of batch) resolve(isWritten)
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown)
      }
    }
    pendingByName.delete(limit.name)
  }
  return {
    change: <T>(limit: CallLimit, change: LimitChange<T>) =>
      new Promise<T | undefined>((resolve, reject) => {
        let result: T | undefined
        const apply = (record: LimitRecord): LimitRecord => {
          const changed = change(record)
          result = changed.result
          return changed.record
        }
        const resolveWritten = (isWritten: boolean): void => resolve(isWritten ? result : undefined)
        const pendingChange = { apply, resolve: resolveWritten, reject }
        const pending = pendingByName.get(limit.name)
        if (pending !== undefined) return void pending.push(pendingChange)
        const newPending = [pendingChange]
        pendingByName.set(limit.name, newPending)
        void writePending(limit, newPending)
      }),
  }
}

/** Applies changes to the stored record in one write. Returns false after too many attempts. */
async function writeChanges(
  deps: LimitRecordsDeps,
  limit: CallLimit,
  changes: readonly PendingChange[],
): Promise<boolean> {
  const key = limitKeyOf(deps.stack, limit)
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const randomFraction = (deps.random.bytes(1)[0] ?? 0) / 256
    if (attempt > 0) await deps.clock.sleep(1 + randomFraction * pauseGrowthMs * attempt)
    const stored = await deps.callLimits.get(key)
    const current = parseLimitRecord(stored?.value) ?? createLimitRecord(limit)
    const record = changes.reduce((changed, { apply }) => apply(changed), current)
    if (record === current) return true
    const expiresAt = Math.max(deps.clock.now() + retentionMinMs, record.nextAt) as EpochMs
    const document = { key, value: record, version: stored?.version ?? 0, expiresAt }
    if ((await deps.callLimits.putExpiring(document)) !== false) return true
  }
  return false
}

/** Parses a stored record. Returns undefined for a damaged one. */
export function parseLimitRecord(value: unknown): LimitRecord | undefined {
  const parsed = parseForm(recordForm, value)
  if (!parsed.success) return undefined
  const { slowdown, rule, ...fields } = parsed.data
  const { concurrency, ...rate } = rule
  const record = { ...fields, rule: concurrency === undefined ? rate : { ...rate, concurrency } }
  return slowdown === undefined ? record : { ...record, slowdown }
}

/** Returns the key of a limit's record. A shared limit has one record for all stacks. */
function limitKeyOf(stack: StackId, { name, isShared }: CallLimit): DocumentKey {
  return { kind: 'call-limit', scope: isShared ? '*' : stack, name }
}
