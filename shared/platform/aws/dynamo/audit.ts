import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { error } from '../../../errors/error.ts'
import type { AuditEntry, AuditedEntry, AuditPort } from '../../../ports/audit.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { type Item, toItem, readNumber } from './table/item.ts'
import { catalogKeys as keys, parsePaddedNumber } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { backOff } from './table/retry-request.ts'
import { formatAttributeOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { putItem, queryItems, type Table } from './table/table.ts'
import { transact } from './table/transaction.ts'

/** Places of one millisecond: two processes seldom choose the same. */
const places = 1_024
const dayMs = 86_400_000

/**
 * The audit log in the catalog. A position is a time and a place drawn by chance, so nothing is
 * counted: entries of one process are in its order, those of several in the order of their clocks.
 * A day has several partitions, by the position; the days are listed, so that reading goes from one
 * that has entries to the next. An entry and the note that its id is there are one transaction.
 * Entries expire after `auditKeptMs`. Reading throws RECORD_DAMAGED and RECORD_TOO_NEW.
 */
export function createAudit({
  catalogTable,
  random,
}: {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid' | 'bytes'>
}): AuditPort {
  const nextPosition = createPositions({ catalogTable, random })
  const noteDay = createDays(catalogTable)
  const put = async (entry: AuditEntry, position: number): Promise<boolean> => {
    const expires = expiryOf(position)
    const item = {
      ...toItem({ entry: JSON.stringify(entry), position, expires }),
      ...formatAttributeOf('audit'),
    }
    const done = await transact(catalogTable, random, [
      {
        kind: 'put',
        key: keys.audited(entry.id),
        item: toItem({ position, expires }),
        ifAbsent: true,
      },
      { kind: 'put', key: keyOf(position), item, ifAbsent: true },
    ])
    // What is refused because of its id was told before; because of its place, goes elsewhere.
    return done.isDone || done.refused[0]?.isRefused === true
  }
  return {
    append: async entry => {
      for (let tries = 0; tries < limits.racesMax; tries += 1) {
        const position = nextPosition()
        await noteDay(dayOf(position))
        if (await put(entry, position)) return
        await backOff(catalogTable, 0)
      }
      throw error('STORE_UNAVAILABLE', 'an entry of the audit log found no free place')
    },
    read: async (before, limit) => {
      const last = before === 0 ? Number.MAX_SAFE_INTEGER : before - 1
      const found: AuditedEntry[] = []
      for (const day of await listDaysUpTo(catalogTable, dayOf(last))) {
        found.push(...(await listEntries(catalogTable, { day, last, limit: limit - found.length })))
        if (found.length >= limit) break
      }
      return found
    },
  }
}

/** Positions of this process: each is in a later millisecond than the one before. */
function createPositions({
  catalogTable: { clock },
  random,
}: {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'bytes'>
}): () => number {
  let lastMs = 0
  return () => {
    lastMs = Math.max(clock.now(), lastMs + 1)
    const [high = 0, low = 0] = random.bytes(2)
    return lastMs * places + ((high * 256 + low) % places)
  }
}

/** Notes a day among those that have entries, once for each process. */
function createDays(catalogTable: Table): (day: number) => Promise<void> {
  const known = createLruCache<true>()
  return async day => {
    if (known.get(String(day)) === true) return
    const expires = expiryOf((day + 1) * dayMs * places)
    await putItem(catalogTable, {
      key: keys.auditDay(day),
      item: toItem({ expires }),
      ifAbsent: false,
    })
    known.set(String(day), true)
  }
}

/** The days that have entries, the last one first. */
async function listDaysUpTo(catalogTable: Table, day: number): Promise<readonly number[]> {
  const { pk, sk } = keys.auditDay(day)
  const range = { pk, atMost: sk, isBackwards: true, limit: limits.auditDaysMax } as const
  return (await queryItems(catalogTable, range)).map(item => parsePaddedNumber(item['sk']?.S ?? ''))
}

/** The last entries of a day up to a position, newest first. */
async function listEntries(
  catalogTable: Table,
  { day, last, limit }: { readonly day: number; readonly last: number; readonly limit: number },
): Promise<readonly AuditedEntry[]> {
  const shards = Array.from({ length: limits.auditShards }, (_, shard) => shard)
  const parts = await Promise.all(
    shards.map(shard => {
      const { pk, sk } = keys.audit({ day, shard, position: last })
      return queryItems(catalogTable, { pk, atMost: sk, isBackwards: true, limit })
    }),
  )
  return parts
    .flat()
    .map(parseAuditEntry)
    .toSorted((one, other) => other.position - one.position)
    .slice(0, limit)
}

function parseAuditEntry(item: Item): AuditedEntry {
  const position = readNumber(item, 'position')
  const record = { kind: 'audit', keys: { position } } as const
  requireReadableItem('audit', record.keys, item)
  return { ...parseJsonAttribute(record, item, 'entry', isEntry), position }
}

function isEntry(value: unknown): value is AuditEntry {
  return typeof value === 'object' && value !== null && 'who' in value && 'what' in value
}

const dayOf = (position: number): number => Math.floor(position / places / dayMs)

function keyOf(position: number) {
  return keys.audit({ day: dayOf(position), shard: position % limits.auditShards, position })
}

/** DynamoDB removes by seconds, never before the time. */
function expiryOf(position: number): number {
  return Math.ceil((position / places + limits.auditKeptMs) / 1000)
}
