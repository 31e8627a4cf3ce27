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
  calls: z.record(z.string(), z.object({ deployment: z.string(), until: z.number() })),
  slowdown: z
    .object({ callsPerSecond: z.number().positive(), loweredAt: z.number(), raisedAt: z.number() })
    .optional(),
})

/** The dependencies of changes of limit records. */
export interface LimitRecordsDeps {
  readonly callLimits: Pick<DocumentsPort, 'get' | 'putExpiring'>
  readonly clock: Pick<ClockPort, 'now' | 'sleep'>
  readonly random: Pick<RandomPort, 'bytes'>
  readonly stack: StackId
}

/** Time after the last change for which a record is kept, in ms: longer than any rate. */
const unusedForMs = 24 * 3_600_000
/** Attempts of one change. Between them other processes have changed the record. */
const attemptsMax = 5
/** Longest pause between two attempts, in ms. */
const pauseMs = 40

/**
 * Changes the record of a limit by compare-and-set. `change` returns the same record when nothing
 * must be written. Returns its result, or undefined after too many concurrent changes. Throws the
 * errors of the store. A damaged record counts as absent, because limits hold no state of stacks.
 */
export async function changeLimitRecord<T>(
  deps: LimitRecordsDeps,
  limit: CallLimit,
  change: (record: LimitRecord) => { readonly record: LimitRecord; readonly result: T },
): Promise<T | undefined> {
  const key = limitKeyOf(deps.stack, limit)
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    if (attempt > 0) await deps.clock.sleep(1 + ((deps.random.bytes(1)[0] ?? 0) / 256) * pauseMs)
    const stored = await deps.callLimits.get(key)
    const current = parseLimitRecord(stored?.value) ?? createLimitRecord(limit)
    const { record, result } = change(current)
    if (record === current) return result
    const expiresAt = (deps.clock.now() + unusedForMs) as EpochMs
    const document = { key, value: record, version: stored?.version ?? 0, expiresAt }
    if ((await deps.callLimits.putExpiring(document)) !== false) return result
  }
  return undefined
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

/** Returns the key of a limit's record. All stacks of an installation share limits with a key. */
function limitKeyOf(stack: StackId, { name, isShared }: CallLimit): DocumentKey {
  return { kind: 'call-limit', scope: isShared ? '*' : stack, name }
}
