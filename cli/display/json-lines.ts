import type { EngineEvent, EngineEventPayload } from '../../shared/engine/events/event.ts'

/**
 * Creates the printer of `--json`: one event per line, numbered from 0 and with a timestamp.
 * Source: `stampEvents` in pkg/backend/display/display.go of Pulumi 3.274.1.
 */
export function createJsonLines(
  write: (line: string) => void,
  nowSeconds: () => number,
): (event: EngineEventPayload) => void {
  let sequence = 0
  return payload => {
    const event: EngineEvent = { sequence, timestamp: nowSeconds(), ...addLineEnd(payload) }
    sequence += 1
    write(`${JSON.stringify(event)}\n`)
  }
}

/** Adds a newline to the message of a diagnostic, because Pulumi's messages end with one. */
function addLineEnd(payload: EngineEventPayload): EngineEventPayload {
  if (!('diagnosticEvent' in payload)) return payload
  const { diagnosticEvent: diagnostic } = payload
  if (diagnostic.message.endsWith('\n')) return payload
  return { diagnosticEvent: { ...diagnostic, message: `${diagnostic.message}\n` } }
}
