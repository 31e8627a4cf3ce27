import { limits } from '../../config/limits.ts'
import type { EventsPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { EngineEventPayload, EventSink } from './event.ts'

/**
 * A sink that stores the events of one writer in batches, for remote readers and for the history.
 * The recorder never delays a deployment.
 */
export interface EventRecorder extends EventSink {
  /** Resolves when every emitted event has been stored, or its write has failed. */
  readonly flush: () => Promise<void>
}

/** Time in which events are collected before they are written, in ms. */
const flushDelayMs = 250
/** Maximum number of events per write. */
const batchEventsMax = 500

/**
 * Returns the number of lines that fit into one write, at least 1. The store receives each write as
 * one message, which has the size limit of a reply.
 */
function countBatchLines(lines: readonly string[]): number {
  let charCount = 0
  const limitIndex = lines.findIndex((line, index) => {
    charCount += line.length
    return index >= batchEventsMax || (index > 0 && charCount > limits.replyCharsMax)
  })
  return limitIndex < 0 ? lines.length : limitIndex
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
 * Creates a recorder. A failing write of events does not stop a deployment. If the store fails, the
 * failing writes of other records stop the deployment.
 */
export function createEventRecorder(
  ports: { readonly events: EventsPort; readonly clock: ClockPort },
  deployment: DeploymentId,
  writer: string,
): EventRecorder {
  let pendingLines: string[] = []
  let writtenCount = 0
  let flushTimer: AbortController | undefined
  let pendingWrite: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    while (pendingLines.length > 0) {
      const batch = pendingLines.slice(0, countBatchLines(pendingLines))
      pendingLines = pendingLines.slice(batch.length)
      const firstNumber = writtenCount
      writtenCount += batch.length
      await ports.events.append(deployment, writer, firstNumber, batch).catch(() => undefined)
    }
  }
  const flush = (): Promise<void> => {
    flushTimer?.abort()
    flushTimer = undefined
    pendingWrite = pendingWrite.then(write)
    return pendingWrite
  }
  const scheduleFlush = async (): Promise<void> => {
    const timer = new AbortController()
    flushTimer = timer
    await ports.clock.sleep(flushDelayMs, timer.signal)
    if (timer.signal.aborted) return
    flushTimer = undefined
    await flush()
  }
  return {
    emit(event) {
      // Debug messages are never stored, because a program can print anything in them.
      if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'debug') return
      pendingLines.push(lineOf(event))
      if (flushTimer === undefined) void scheduleFlush()
    },
    flush,
  }
}
