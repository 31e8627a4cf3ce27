import type {
  EngineEventPayload,
  EventSink,
  StepMetadata,
} from '../../shared/engine/events/event.ts'

/** What one life tells; after `close` it is not heard any more. */
export interface LifeSink extends EventSink {
  readonly close: () => void
}

/**
 * Makes the sinks of lives that follow each other. Each tells its story from the beginning, for a
 * replayed program says again what it said before: what an earlier life has told as often is left
 * out; `earlier`: what lives of other processes told.
 */
export function createToldOnce(
  sink: EventSink,
  earlier: readonly EngineEventPayload[] = [],
): () => LifeSink {
  const told = new Map<string, number>()
  for (const event of earlier) told.set(keyOf(event), (told.get(keyOf(event)) ?? 0) + 1)
  return () => {
    const mine = new Map<string, number>()
    let isOpen = true
    return {
      emit(event) {
        if (!isOpen) return
        const key = keyOf(event)
        const count = (mine.get(key) ?? 0) + 1
        mine.set(key, count)
        if (count <= (told.get(key) ?? 0)) return
        told.set(key, count)
        sink.emit(event)
      },
      close: () => {
        isOpen = false
      },
    }
  }
}

/** What makes two events the same news. */
function keyOf(event: EngineEventPayload): string {
  if ('resourcePreEvent' in event) return stepKey('begun', event.resourcePreEvent)
  if ('resOutputsEvent' in event) return stepKey('done', event.resOutputsEvent)
  if ('resOpFailedEvent' in event) return stepKey('failed', event.resOpFailedEvent)
  if ('diagnosticEvent' in event) {
    const { severity, message, urn } = event.diagnosticEvent
    return `diagnostic ${severity} ${urn ?? ''} ${message}`
  }
  return JSON.stringify(event)
}

function stepKey(what: string, { metadata }: { readonly metadata: StepMetadata }): string {
  return `${what} ${metadata.op} ${metadata.urn}`
}
