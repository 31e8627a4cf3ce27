import { limits } from '../../config/limits.ts'
import type { EventsPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { EngineEventPayload, EventSink } from './event.ts'

/**
 * Stores the events of one writer in batches, for remote readers and for the history. It never
 * delays a deployment.
 */
export interface EventRecorder extends EventSink {
  /** Resolves when every emitted event was stored or has failed to be stored. */
  readonly flush: () => Promise<void>
}

/** Time in which events are collected before they are written, in ms. */
const gatherMs = 250
/** Maximum number of events per write. */
const batchMax = 500

/**
 * Returns how many lines fit into one write, which the store receives as one message. At least one.
 */
function sizeOfBatch(lines: readonly string[]): number {
  let bytes = 0
  const cut = lines.findIndex((line, at) => {
    bytes += line.length
    return at >= batchMax || (at > 0 && bytes > limits.replyBytesMax)
  })
  return cut < 0 ? lines.length : cut
}

/**
 * Returns the line of an event. An event above the record size limit is stored without the
 * properties of its states.
 */
function lineOf(event: EngineEventPayload): string {
  const line = JSON.stringify(event)
  if (line.length <= limits.recordBytesMax) return line
  return JSON.stringify(event, (key, value: unknown) =>
    key === 'inputs' || key === 'outputs' ? {} : value,
  )
}

/**
 * Creates a recorder. A store that cannot store events does not stop a deployment by it; the
 * failing records will.
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
      // Debug messages are only for current readers, because a program may print anything in them.
      if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'debug') return
      waiting.push(lineOf(event))
      if (gathering === undefined) void gather()
    },
    flush,
  }
}
