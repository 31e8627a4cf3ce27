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

/** Positions per millisecond. With this number two processes rarely choose the same one. */
const places = 1_024
const dayMs = 86_400_000

/**
 * Creates the audit log in the catalog. A position consists of a time and a random number, so no
 * counter is needed. The entries of one process are in its order; those of several follow their
 * clocks. A day has several partitions, selected by position. Days with entries are listed, so a
 * reader skips the others. One transaction writes an entry and the record of its id. Entries expire
 * after `auditKeptMs`. Reading throws RECORD_DAMAGED and RECORD_TOO_NEW.
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
    // An existing id means a repetition, which is done. An occupied position needs another attempt.
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
      throw error('STORE_UNAVAILABLE', 'the audit log entry found no free position')
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

/**
 * Creates the source of positions of this process. Each one is in a later millisecond than the
 * previous one.
 */
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

/** Adds a day to the list of days with entries, once per process. */
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

/** Returns the days with entries, newest first. */
async function listDaysUpTo(catalogTable: Table, day: number): Promise<readonly number[]> {
  const { pk, sk } = keys.auditDay(day)
  const range = { pk, atMost: sk, isBackwards: true, limit: limits.auditDaysMax } as const
  return (await queryItems(catalogTable, range)).map(item => parsePaddedNumber(item['sk']?.S ?? ''))
}

/** Returns the last entries of a day up to a position, newest first. */
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

/** DynamoDB expires items by whole seconds. An item never expires early. */
function expiryOf(position: number): number {
  return Math.ceil((position / places + limits.auditKeptMs) / 1000)
}
