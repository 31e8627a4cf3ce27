import { gunzipSync, gzipSync } from 'node:zlib'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { error, messageOf } from '../../../errors/error.ts'
import type { EventsPort } from '../../../ports/records.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { damaged } from '../../records/record-forms.ts'
import { type Item, itemOf, number, text } from './item.ts'
import { journalKeys as keys, numberIn } from './keys.ts'
import { createRemembered } from './remembered.ts'
import { pause } from './retry.ts'
import { formOf, readableItem } from './stored.ts'
import { putItem, queryItems, type Table } from './table.ts'

/** What a process knows of the lines of one writer: its next one, and what is under way. */
interface Writer {
  nextLine: number
  busy: Promise<void>
}

/**
 * Lines of events in the journal, compressed in chunks. The chunks of a deployment are numbered
 * without gaps, each put where none is, so a reader that goes on from a number misses no writer.
 * Writers are few: lives of generators, and executors that have something to say.
 *
 * Cursor: number of a chunk times `span`, plus lines read of it.
 */
const span = 1_024

export function createEvents(journal: Table): EventsPort {
  const writerOf = createWriters(journal)
  /** Where the next chunk of a deployment may go, as far as is known here. */
  const tails = createRemembered<number>()
  const put = async (
    deployment: DeploymentId,
    chunk: { readonly writer: string; readonly first: number; readonly lines: readonly string[] },
  ): Promise<void> => {
    const { writer, first, lines } = chunk
    const item = {
      ...formOf('event', journal),
      ...itemOf({ writer, first, count: lines.length, lines: gzipSync(JSON.stringify(lines)) }),
    }
    for (let tries = 0; tries < limits.chunkTriesMax; tries += 1) {
      const number = tails.get(deployment) ?? (await tailOf(journal, deployment))
      const key = keys.chunk(deployment, number)
      const written = await putItem(journal, { key, item, ifAbsent: true })
      tails.set(deployment, number + 1)
      if (written.isDone || isChunk(written.stands, writer, first)) return
      tails.forget(deployment)
      await pause(journal, Math.min(tries, 4))
    }
    throw error('STORE_UNAVAILABLE', `events of ${deployment} found no free place`)
  }
  return {
    append: async (deployment, writer, first, events) => {
      const about = await writerOf(deployment, writer)
      const write = async (): Promise<void> => {
        for (const lines of chunksOf(events.slice(Math.max(0, about.nextLine - first)))) {
          const at = Math.max(first, about.nextLine)
          await put(deployment, { writer, first: at, lines })
          about.nextLine = at + lines.length
        }
      }
      const written = about.busy.then(write)
      about.busy = written.catch(() => undefined)
      await written
    },
    read: async (deployment, cursor, limit) => {
      const [chunk, skip] = [Math.floor(cursor / span), cursor % span]
      const { pk, sk } = keys.chunk(deployment, chunk)
      const events: string[] = []
      let end = cursor
      const chunks = Math.min(Math.max(1, limit), limits.chunksPerReadMax)
      const items = await queryItems(journal, { pk, atLeast: sk, limit: chunks })
      for (const item of items) {
        const number = numberIn(text(item, 'sk'))
        const lines = linesIn(deployment, item)
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

/** The writers that this process knows. */
function createWriters(
  journal: Table,
): (deployment: DeploymentId, name: string) => Promise<Writer> {
  const writers = createRemembered<Promise<Writer>>()
  return (deployment, name) => {
    const place = `${deployment} ${name}`
    const known = writers.get(place)
    if (known !== undefined) return known
    const found = nextLineOf(journal, deployment, name).then(nextLine => ({
      nextLine,
      busy: Promise.resolve(),
    }))
    writers.set(place, found)
    found.catch(() => writers.forget(place))
    return found
  }
}

/**
 * The next line of a writer that this process does not know. A new one is noted with the chunk that
 * comes next, so that its own chunks are found behind that when another process asks.
 */
async function nextLineOf(journal: Table, deployment: DeploymentId, name: string): Promise<number> {
  const from = await tailOf(journal, deployment)
  const written = await putItem(journal, {
    key: keys.writer(deployment, name),
    item: { ...formOf('event', journal), ...itemOf({ from }) },
    ifAbsent: true,
  })
  if (written.isDone) return 0
  const { pk, sk } = keys.chunk(deployment, number(written.stands ?? {}, 'from'))
  const chunks = await queryItems(journal, { pk, atLeast: sk, limit: limits.rememberedMax })
  const own = chunks.filter(chunk => text(chunk, 'writer') === name)
  return Math.max(0, ...own.map(chunk => number(chunk, 'first') + number(chunk, 'count')))
}

async function tailOf(journal: Table, deployment: DeploymentId): Promise<number> {
  const { pk } = keys.chunk(deployment, 0)
  const only = ['pk', 'sk']
  const [last] = await queryItems(journal, { pk, isBackwards: true, limit: 1, only })
  return last === undefined ? 0 : numberIn(text(last, 'sk')) + 1
}

function isChunk(stands: Item | undefined, writer: string, first: number): boolean {
  return (
    stands !== undefined && text(stands, 'writer') === writer && number(stands, 'first') === first
  )
}

function chunksOf(lines: readonly string[]): readonly (readonly string[])[] {
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

function linesIn(deployment: DeploymentId, item: Item): readonly string[] {
  const keys = { deployment, position: numberIn(text(item, 'sk')) }
  readableItem('event', keys, item)
  try {
    return JSON.parse(gunzipSync(item['lines']?.B ?? new Uint8Array()).toString('utf8'))
  } catch (thrown) {
    throw damaged('event', keys, messageOf(thrown))
  }
}
