import { gunzipSync, gzipSync } from 'node:zlib'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { createError, messageOf } from '../../../errors/error.ts'
import type { EventsPort } from '../../../ports/records.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { createDamagedError, parseRecordJson } from '../../records/record-layouts.ts'
import { type Item, toItem, readNumber, readText } from './table/item.ts'
import { journalKeys as keys, parsePaddedNumber } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { backOff } from './table/retry-request.ts'
import { recordAttributesOf, requireReadableItem } from './record-format.ts'
import { putItem, queryItems, type Table } from './table/table.ts'
import { splitBySize } from '../split-by-size.ts'

/** A writer of events in this process: the number of its next line, and its last write. */
interface EventWriter {
  nextLineNumber: number
  lastWrite: Promise<void>
}

/**
 * The factor between chunk numbers and cursors, larger than the number of lines in a chunk. A
 * cursor is the number of a chunk times this factor, plus the number of lines already read from the
 * chunk.
 */
const cursorsPerChunk = 1_024

/** Maximum number of times that the pause before the next attempt to put a chunk doubles. */
const pauseDoublingsMax = 4

/**
 * Creates the event lines in the journal, compressed in chunks. The chunks of a deployment are
 * numbered without gaps, and each writer puts its next chunk at the first free number. Therefore a
 * reader that continues from a number misses no later lines of any writer. Writers are generator
 * runs, executors that report events, and the batches that a client of Pulumi sends.
 */
export function createEvents(journalTable: Table): EventsPort {
  const writerOf = createWriterLookup(journalTable)
  /** By deployment: the number after the last chunk that this process wrote. */
  const nextChunkNumbers = createLruCache<number>()
  const putChunk = async (
    deployment: DeploymentId,
    chunk: {
      readonly writer: string
      readonly firstLineNumber: number
      readonly lines: readonly string[]
    },
  ): Promise<void> => {
    const { writer, firstLineNumber, lines } = chunk
    const compressedLines = gzipSync(JSON.stringify(lines))
    const item = {
      ...recordAttributesOf('event', journalTable),
      ...toItem({ writer, first: firstLineNumber, count: lines.length, lines: compressedLines }),
    }
    for (let attempt = 0; attempt < limits.chunkAttemptsMax; attempt += 1) {
      const number =
        nextChunkNumbers.get(deployment) ?? (await findNextChunkNumber(journalTable, deployment))
      const key = keys.chunk(deployment, number)
      const writeResult = await putItem(journalTable, { key, item, ifAbsent: true })
      nextChunkNumbers.set(deployment, number + 1)
      if (writeResult.isDone || isSameChunk(writeResult.existing, writer, firstLineNumber)) return
      nextChunkNumbers.forget(deployment)
      await backOff(journalTable, Math.min(attempt, pauseDoublingsMax))
    }
    throw createError('STORE_UNAVAILABLE', `events of ${deployment} had no free chunk number`)
  }
  return {
    append: async (deployment, writer, firstLineNumber, events) => {
      const writerState = await writerOf(deployment, writer)
      const write = async (): Promise<void> => {
        const writtenCount = Math.max(0, writerState.nextLineNumber - firstLineNumber)
        for (const lines of splitIntoChunks(events.slice(writtenCount))) {
          const lineNumber = Math.max(firstLineNumber, writerState.nextLineNumber)
          await putChunk(deployment, { writer, firstLineNumber: lineNumber, lines })
          writerState.nextLineNumber = lineNumber + lines.length
        }
      }
      const pendingWrite = writerState.lastWrite.then(write)
      writerState.lastWrite = pendingWrite.catch(() => undefined)
      await pendingWrite
    },
    read: async (deployment, cursor, limit) => {
      const firstChunkNumber = Math.floor(cursor / cursorsPerChunk)
      const earlierLineCount = cursor % cursorsPerChunk
      const { pk, sk } = keys.chunk(deployment, firstChunkNumber)
      const events: string[] = []
      let nextCursor = cursor
      const chunkCount = Math.min(Math.max(1, limit), limits.chunksPerReadMax)
      const items = await queryItems(journalTable, { pk, atLeast: sk, limit: chunkCount })
      for (const item of items) {
        const number = parsePaddedNumber(readText(item, 'sk'))
        const lines = parseEventLines(deployment, item)
        const firstIndex = number === firstChunkNumber ? earlierLineCount : 0
        const readLines = lines.slice(firstIndex, firstIndex + limit - events.length)
        events.push(...readLines)
        const isChunkRead = firstIndex + readLines.length === lines.length
        nextCursor = isChunkRead
          ? (number + 1) * cursorsPerChunk
          : number * cursorsPerChunk + firstIndex + readLines.length
        if (!isChunkRead || events.length === limit) break
      }
      const hasMore = events.length === limit || items.length === chunkCount
      return { events, cursor: nextCursor, hasMore }
    },
  }
}

/**
 * Creates a function that returns a writer of this process. The function creates each writer once.
 */
function createWriterLookup(
  journalTable: Table,
): (deployment: DeploymentId, name: string) => Promise<EventWriter> {
  const writers = createLruCache<Promise<EventWriter>>()
  return (deployment, name) => {
    const writerKey = `${deployment} ${name}`
    const earlierWriter = writers.get(writerKey)
    if (earlierWriter !== undefined) return earlierWriter
    const newWriter = findNextLineNumber(journalTable, deployment, name).then(nextLineNumber => ({
      nextLineNumber,
      lastWrite: Promise.resolve(),
    }))
    writers.set(writerKey, newWriter)
    newWriter.catch(() => writers.forget(writerKey))
    return newWriter
  }
}

/**
 * Returns the number of the next line of a writer, for the first write of this process. A new
 * writer is recorded with the next free chunk number. From this chunk on, another process finds all
 * chunks of the writer.
 */
async function findNextLineNumber(
  journalTable: Table,
  deployment: DeploymentId,
  name: string,
): Promise<number> {
  const firstChunkNumber = await findNextChunkNumber(journalTable, deployment)
  const writeResult = await putItem(journalTable, {
    key: keys.writer(deployment, name),
    item: { ...recordAttributesOf('event', journalTable), ...toItem({ from: firstChunkNumber }) },
    ifAbsent: true,
  })
  if (writeResult.isDone) return 0
  const { pk, sk } = keys.chunk(deployment, readNumber(writeResult.existing ?? {}, 'from'))
  const chunks = await queryItems(journalTable, { pk, atLeast: sk, limit: limits.itemsPerListMax })
  const writerChunks = chunks.filter(chunk => readText(chunk, 'writer') === name)
  return Math.max(
    0,
    ...writerChunks.map(chunk => readNumber(chunk, 'first') + readNumber(chunk, 'count')),
  )
}

async function findNextChunkNumber(journalTable: Table, deployment: DeploymentId): Promise<number> {
  const { pk } = keys.chunk(deployment, 0)
  const attributes = ['pk', 'sk']
  const [lastItem] = await queryItems(journalTable, { pk, isBackwards: true, limit: 1, attributes })
  return lastItem === undefined ? 0 : parsePaddedNumber(readText(lastItem, 'sk')) + 1
}

function isSameChunk(existing: Item | undefined, writer: string, firstLineNumber: number): boolean {
  return (
    existing !== undefined &&
    readText(existing, 'writer') === writer &&
    readNumber(existing, 'first') === firstLineNumber
  )
}

function splitIntoChunks(lines: readonly string[]): readonly (readonly string[])[] {
  const { chunkLinesMax: countMax, chunkBytesMax: bytesMax } = limits
  return splitBySize(lines, { countMax, bytesMax }, line => Buffer.byteLength(line))
}

/** Parses the lines of a chunk of events. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
export function parseEventLines(deployment: DeploymentId, item: Item): readonly string[] {
  const keys = { deployment, position: parsePaddedNumber(readText(item, 'sk')) }
  requireReadableItem('event', keys, item)
  let text: string
  try {
    text = gunzipSync(item['lines']?.B ?? new Uint8Array()).toString('utf8')
  } catch (thrown) {
    throw createDamagedError('event', keys, messageOf(thrown))
  }
  return parseRecordJson({ kind: 'event', keys }, text, isLineList)
}

function isLineList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(line => typeof line === 'string')
}
