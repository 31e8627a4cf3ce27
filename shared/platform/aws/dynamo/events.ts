import { gunzipSync, gzipSync } from 'node:zlib'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { error, messageOf } from '../../../errors/error.ts'
import type { EventsPort } from '../../../ports/records.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { damagedError } from '../../records/record-forms.ts'
import { type Item, toItem, readNumber, readText } from './table/item.ts'
import { journalKeys as keys, parsePaddedNumber } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { backOff } from './table/retry-request.ts'
import { recordAttributesOf, requireReadableItem } from './record-format.ts'
import { putItem, queryItems, type Table } from './table/table.ts'

/** The state of one writer in this process: its next line, and the write in progress. */
interface EventWriter {
  nextLine: number
  busy: Promise<void>
}

/**
 * Event lines in the journal, compressed in chunks. The chunks of a deployment are numbered without
 * gaps, each put at a free number. A reader that continues from a number therefore misses no
 * writer. There are few writers: generator runs, and executors that report events.
 *
 * A cursor is the number of a chunk times `span`, plus the lines read of it.
 */
const span = 1_024

export function createEvents(journalTable: Table): EventsPort {
  const writerOf = createWriters(journalTable)
  /** The next free chunk number per deployment, as far as this process knows. */
  const tails = createLruCache<number>()
  const putChunk = async (
    deployment: DeploymentId,
    chunk: { readonly writer: string; readonly first: number; readonly lines: readonly string[] },
  ): Promise<void> => {
    const { writer, first, lines } = chunk
    const item = {
      ...recordAttributesOf('event', journalTable),
      ...toItem({ writer, first, count: lines.length, lines: gzipSync(JSON.stringify(lines)) }),
    }
    for (let tries = 0; tries < limits.chunkTriesMax; tries += 1) {
      const number = tails.get(deployment) ?? (await findTail(journalTable, deployment))
      const key = keys.chunk(deployment, number)
      const written = await putItem(journalTable, { key, item, ifAbsent: true })
      tails.set(deployment, number + 1)
      if (written.isDone || isChunk(written.existing, writer, first)) return
      tails.forget(deployment)
      await backOff(journalTable, Math.min(tries, 4))
    }
    throw error('STORE_UNAVAILABLE', `events of ${deployment} found no free chunk number`)
  }
  return {
    append: async (deployment, writer, first, events) => {
      const writerState = await writerOf(deployment, writer)
      const write = async (): Promise<void> => {
        for (const lines of splitIntoChunks(
          events.slice(Math.max(0, writerState.nextLine - first)),
        )) {
          const at = Math.max(first, writerState.nextLine)
          await putChunk(deployment, { writer, first: at, lines })
          writerState.nextLine = at + lines.length
        }
      }
      const written = writerState.busy.then(write)
      writerState.busy = written.catch(() => undefined)
      await written
    },
    read: async (deployment, cursor, limit) => {
      const [chunk, skip] = [Math.floor(cursor / span), cursor % span]
      const { pk, sk } = keys.chunk(deployment, chunk)
      const events: string[] = []
      let end = cursor
      const chunks = Math.min(Math.max(1, limit), limits.chunksPerReadMax)
      const items = await queryItems(journalTable, { pk, atLeast: sk, limit: chunks })
      for (const item of items) {
        const number = parsePaddedNumber(readText(item, 'sk'))
        const lines = parseLines(deployment, item)
        const from = number === chunk ? skip : 0
        const taken = lines.slice(from, from + limit - events.length)
        events.push(...taken)
        const isWhole = from + taken.length === lines.length
        end = isWhole ? (number + 1) * span : number * span + from + taken.length
        if (!isWhole || events.length === limit) break
      }
      return { events, cursor: end }
    },
  }
}

/** Creates the registry of the writers that this process knows. */
function createWriters(
  journalTable: Table,
): (deployment: DeploymentId, name: string) => Promise<EventWriter> {
  const writers = createLruCache<Promise<EventWriter>>()
  return (deployment, name) => {
    const place = `${deployment} ${name}`
    const known = writers.get(place)
    if (known !== undefined) return known
    const found = findNextLine(journalTable, deployment, name).then(nextLine => ({
      nextLine,
      busy: Promise.resolve(),
    }))
    writers.set(place, found)
    found.catch(() => writers.forget(place))
    return found
  }
}

/**
 * Returns the next line of a writer that this process does not know. A new writer is recorded with
 * the next chunk number, so another process finds all of its chunks from there on.
 */
async function findNextLine(
  journalTable: Table,
  deployment: DeploymentId,
  name: string,
): Promise<number> {
  const from = await findTail(journalTable, deployment)
  const written = await putItem(journalTable, {
    key: keys.writer(deployment, name),
    item: { ...recordAttributesOf('event', journalTable), ...toItem({ from }) },
    ifAbsent: true,
  })
  if (written.isDone) return 0
  const { pk, sk } = keys.chunk(deployment, readNumber(written.existing ?? {}, 'from'))
  const chunks = await queryItems(journalTable, { pk, atLeast: sk, limit: limits.rememberedMax })
  const own = chunks.filter(chunk => readText(chunk, 'writer') === name)
  return Math.max(0, ...own.map(chunk => readNumber(chunk, 'first') + readNumber(chunk, 'count')))
}

async function findTail(journalTable: Table, deployment: DeploymentId): Promise<number> {
  const { pk } = keys.chunk(deployment, 0)
  const only = ['pk', 'sk']
  const [last] = await queryItems(journalTable, { pk, isBackwards: true, limit: 1, only })
  return last === undefined ? 0 : parsePaddedNumber(readText(last, 'sk')) + 1
}

function isChunk(existing: Item | undefined, writer: string, first: number): boolean {
  return (
    existing !== undefined &&
    readText(existing, 'writer') === writer &&
    readNumber(existing, 'first') === first
  )
}

function splitIntoChunks(lines: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = []
  let bytes = 0
  for (const line of lines) {
    const size = Buffer.byteLength(line)
    const chunk = chunks.at(-1)
    const isFull = chunk?.length === limits.chunkLinesMax || bytes + size > limits.chunkBytesMax
    if (chunk === undefined || isFull) chunks.push([line])
    else chunk.push(line)
    bytes = chunk === undefined || isFull ? size : bytes + size
  }
  return chunks
}

function parseLines(deployment: DeploymentId, item: Item): readonly string[] {
  const keys = { deployment, position: parsePaddedNumber(readText(item, 'sk')) }
  requireReadableItem('event', keys, item)
  try {
    return JSON.parse(gunzipSync(item['lines']?.B ?? new Uint8Array()).toString('utf8'))
  } catch (thrown) {
    throw damagedError('event', keys, messageOf(thrown))
  }
}
