import type { EngineEventPayload, EventSink, StepMetadata } from '../../engine/events/event.ts'

/** The event sink of one generator run. Events after `close` are dropped. */
export interface RunSink extends EventSink {
  readonly close: () => void
}

/**
 * Returns a function that creates the sink of the next generator run. Each run emits all events
 * again, because the program runs again. The nth occurrence of an event in a run is dropped if
 * earlier runs have emitted the event at least n times. `earlierEvents`: the events of runs in
 * other processes.
 */
export function createDeduplicatedSinks(
  sink: EventSink,
  earlierEvents: readonly EngineEventPayload[] = [],
): () => RunSink {
  const emittedCounts = new Map<string, number>()
  for (const event of earlierEvents)
    emittedCounts.set(eventKeyOf(event), (emittedCounts.get(eventKeyOf(event)) ?? 0) + 1)
  return () => {
    const runCounts = new Map<string, number>()
    let isOpen = true
    return {
      reportPlugin: sink.reportPlugin,
      emit(event, states) {
        if (!isOpen) return
        const key = eventKeyOf(event)
        const count = (runCounts.get(key) ?? 0) + 1
        runCounts.set(key, count)
        if (count <= (emittedCounts.get(key) ?? 0)) return
        emittedCounts.set(key, count)
        sink.emit(event, states)
      },
      close: () => {
        isOpen = false
      },
    }
  }
}

/** Returns the key by which two events count as equal. */
function eventKeyOf(event: EngineEventPayload): string {
  if ('resourcePreEvent' in event) return stepKeyOf('begun', event.resourcePreEvent)
  if ('resOutputsEvent' in event) return stepKeyOf('done', event.resOutputsEvent)
  if ('resOpFailedEvent' in event) return stepKeyOf('failed', event.resOpFailedEvent)
  if ('diagnosticEvent' in event) {
    const { severity, message, urn } = event.diagnosticEvent
    return `diagnostic ${severity} ${urn ?? ''} ${message}`
  }
  return JSON.stringify(event)
}

function stepKeyOf(status: string, { metadata }: { readonly metadata: StepMetadata }): string {
  return `${status} ${metadata.op} ${metadata.urn}`
}
