import { limits } from '../../config/limits.ts'
import type { EventsPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { EngineEventPayload, EventSink } from './event.ts'

/**
 * Keeps the events of one writer for readers elsewhere and for history; in batches, never in the
 * way.
 */
export interface EventRecorder extends EventSink {
  /** Resolves when everything that was emitted is kept, or could not be. */
  readonly flush: () => Promise<void>
}

/** How long events gather before they are written, in ms. */
const gatherMs = 250
/** Most events of one write. */
const batchMax = 500

/** How many lines fit one write, which the store takes as one message; at least one. */
function sizeOfBatch(lines: readonly string[]): number {
  let bytes = 0
  const cut = lines.findIndex((line, at) => {
    bytes += line.length
    return at >= batchMax || (at > 0 && bytes > limits.replyBytesMax)
  })
  return cut < 0 ? lines.length : cut
}

/** An event over the limit of records is kept without the properties of its states. */
function lineOf(event: EngineEventPayload): string {
  const line = JSON.stringify(event)
  if (line.length <= limits.recordBytesMax) return line
  return JSON.stringify(event, (key, value: unknown) =>
    key === 'inputs' || key === 'outputs' ? {} : value,
  )
}

/**
 * Makes a recorder. A store that cannot keep events does not stop a deployment: its records will.
 */
export function createEventRecorder(
  ports: { readonly events: EventsPort; readonly clock: ClockPort },
  deployment: DeploymentId,
  writer: string,
): EventRecorder {
  let waiting: string[] = []
  let written = 0
  let gathering: AbortController | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, sizeOfBatch(waiting))
      waiting = waiting.slice(batch.length)
      const first = written
      written += batch.length
      await ports.events.append(deployment, writer, first, batch).catch(() => undefined)
    }
  }
  const flush = (): Promise<void> => {
    gathering?.abort()
    gathering = undefined
    writing = writing.then(write)
    return writing
  }
  const gather = async (): Promise<void> => {
    const mine = new AbortController()
    gathering = mine
    await ports.clock.sleep(gatherMs, mine.signal)
    if (mine.signal.aborted) return
    gathering = undefined
    await flush()
  }
  return {
    emit(event) {
      // What is for debugging is for whoever watches now; a program may say anything in it.
      if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'debug') return
      waiting.push(lineOf(event))
      if (gathering === undefined) void gather()
    },
    flush,
  }
}
