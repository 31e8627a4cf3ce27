import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { AuditEntry, PositionedAuditEntry, AuditPort } from '../../../ports/audit.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { type Item, toItem, readNumber } from './table/item.ts'
import { catalogKeys as keys, parsePaddedNumber } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { backOff } from './table/retry-request.ts'
import { formatAttributeOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, putItem, queryItems, type Table } from './table/table.ts'
import { transact } from './table/transaction.ts'

/** Positions per millisecond. With this number, two processes rarely choose the same position. */
const positionsPerMs = 1_024
const dayMs = 86_400_000

/**
 * Creates the audit log in the catalog. A position consists of a time and a random number, so no
 * counter is needed. The entries of one process are in the order of its calls. The order of
 * entries of several processes follows their clocks. A day has several partitions, selected by
 * position. A list of the days with entries lets a reader skip all other days. One transaction
 * writes an entry and the record of its id. Entries expire after `auditRetentionMs`. Reading throws
 * RECORD_DAMAGED and RECORD_TOO_NEW.
 */
export function createAudit({
  catalogTable,
  random,
}: {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid' | 'bytes'>
}): AuditPort {
  const choosePosition = createPositionSource({ catalogTable, random })
  const recordDay = createDayRecorder(catalogTable)
  const putEntry = async (entry: AuditEntry, position: number): Promise<boolean> => {
    const expires = expirySecondsOf(position)
    const item = {
      ...toItem({ entry: JSON.stringify(entry), position, expires }),
      ...formatAttributeOf('audit'),
    }
    const result = await transact(catalogTable, random, [
      {
        kind: 'put',
        key: keys.auditEntryId(entry.id),
        item: toItem({ position, expires }),
        ifAbsent: true,
      },
      { kind: 'put', key: entryKeyOf(position), item, ifAbsent: true },
    ])
    // If the id exists, this append is a repetition, and its entry exists. If only the position is
    // occupied, another attempt is needed.
    return result.isDone || result.parts[0]?.isRefused === true
  }
  return {
    append: async entry => {
      for (let attempt = 0; attempt < limits.raceAttemptsMax; attempt += 1) {
        const position = choosePosition()
        await recordDay(dayOf(position))
        if (await putEntry(entry, position)) return
        await backOff(catalogTable, 0)
      }
      throw createError('STORE_UNAVAILABLE', 'the audit log had no free position for an entry')
    },
    has: async id => (await getItem(catalogTable, keys.auditEntryId(id))) !== undefined,
    read: async (beforePosition, limit) => {
      const lastPosition = beforePosition === 0 ? Number.MAX_SAFE_INTEGER : beforePosition - 1
      const entries: PositionedAuditEntry[] = []
      for (const day of await listDaysUpTo(catalogTable, dayOf(lastPosition))) {
        entries.push(
          ...(await listEntries(catalogTable, {
            day,
            lastPosition,
            limit: limit - entries.length,
          })),
        )
        if (entries.length >= limit) break
      }
      return entries
    },
  }
}

/**
 * Creates the source of positions of this process. Each position is in a later millisecond than the
 * previous position.
 */
function createPositionSource({
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
    return lastMs * positionsPerMs + ((high * 256 + low) % positionsPerMs)
  }
}

/** Creates a function that adds a day to the list of days, unless it has already added this day. */
function createDayRecorder(catalogTable: Table): (day: number) => Promise<void> {
  const recordedDays = createLruCache<true>()
  return async day => {
    if (recordedDays.get(String(day)) === true) return
    const expires = expirySecondsOf((day + 1) * dayMs * positionsPerMs)
    await putItem(catalogTable, {
      key: keys.auditDay(day),
      item: toItem({ expires }),
      ifAbsent: false,
    })
    recordedDays.set(String(day), true)
  }
}

/** Returns the days with entries up to `day`, newest first. */
async function listDaysUpTo(catalogTable: Table, day: number): Promise<readonly number[]> {
  const { pk, sk } = keys.auditDay(day)
  const range = { pk, atMost: sk, isBackwards: true, limit: limits.auditDaysMax } as const
  return (await queryItems(catalogTable, range)).map(item => parsePaddedNumber(item['sk']?.S ?? ''))
}

/** Returns at most `limit` entries of a day up to `lastPosition`, newest first. */
async function listEntries(
  catalogTable: Table,
  {
    day,
    lastPosition,
    limit,
  }: { readonly day: number; readonly lastPosition: number; readonly limit: number },
): Promise<readonly PositionedAuditEntry[]> {
  const shards = Array.from({ length: limits.auditShards }, (_, shard) => shard)
  const itemsByShard = await Promise.all(
    shards.map(shard => {
      const { pk, sk } = keys.audit({ day, shard, position: lastPosition })
      return queryItems(catalogTable, { pk, atMost: sk, isBackwards: true, limit })
    }),
  )
  return itemsByShard
    .flat()
    .map(parseAuditEntry)
    .toSorted((one, other) => other.position - one.position)
    .slice(0, limit)
}

function parseAuditEntry(item: Item): PositionedAuditEntry {
  const position = readNumber(item, 'position')
  const record = { kind: 'audit', keys: { position } } as const
  requireReadableItem('audit', record.keys, item)
  return { ...parseJsonAttribute(record, item, 'entry', isEntry), position }
}

function isEntry(value: unknown): value is AuditEntry {
  return typeof value === 'object' && value !== null && 'who' in value && 'what' in value
}

const dayOf = (position: number): number => Math.floor(position / positionsPerMs / dayMs)

function entryKeyOf(position: number) {
  return keys.audit({ day: dayOf(position), shard: position % limits.auditShards, position })
}

/** Returns the expiry of an entry in whole seconds, rounded up so that no entry expires early. */
function expirySecondsOf(position: number): number {
  return Math.ceil((position / positionsPerMs + limits.auditRetentionMs) / 1000)
}
