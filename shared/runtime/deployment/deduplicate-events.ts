import type { EngineEventPayload, EventSink, StepMetadata } from '../../engine/events/event.ts'

/** What one life tells; after `close` it is not heard any more. */
export interface RunSink extends EventSink {
  readonly close: () => void
}

/**
 * Makes the sinks of lives that follow each other. Each tells its story from the beginning, for a
 * replayed program says again what it said before: what an earlier life has told as often is left
 * out; `earlier`: what lives of other processes told.
 */
export function createDeduplicatedSinks(
  sink: EventSink,
  earlier: readonly EngineEventPayload[] = [],
): () => RunSink {
  const emitted = new Map<string, number>()
  for (const event of earlier)
    emitted.set(eventKeyOf(event), (emitted.get(eventKeyOf(event)) ?? 0) + 1)
  return () => {
    const ownCounts = new Map<string, number>()
    let isOpen = true
    return {
      emit(event) {
        if (!isOpen) return
        const key = eventKeyOf(event)
        const count = (ownCounts.get(key) ?? 0) + 1
        ownCounts.set(key, count)
        if (count <= (emitted.get(key) ?? 0)) return
        emitted.set(key, count)
        sink.emit(event)
      },
      close: () => {
        isOpen = false
      },
    }
  }
}

/** What makes two events the same news. */
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
