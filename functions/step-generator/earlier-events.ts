import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { EventsPort } from '../../shared/ports/records.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'

/** Maximum number of events per read. */
const eventsPerRead = 1_000

/**
 * Reads the stored events of a deployment's earlier generator runs. All of them fit into memory,
 * because each operation has only two events of its own.
 */
export async function readEarlierEvents(
  { events }: { readonly events: Pick<EventsPort, 'read'> },
  deployment: DeploymentId,
): Promise<readonly EngineEventPayload[]> {
  const earlierEvents: EngineEventPayload[] = []
  for (let cursor = 0; ; ) {
    const page = await events.read(deployment, cursor, eventsPerRead)
    for (const line of page.events) earlierEvents.push(JSON.parse(line) as EngineEventPayload)
    if (!page.hasMore) return earlierEvents
    cursor = page.cursor
  }
}

/** Counts operations by kind from emitted events, for the summary of the last generator run. */
export function countOperations(events: readonly EngineEventPayload[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (!('resOutputsEvent' in event)) continue
    const { op } = event.resOutputsEvent.metadata
    counts.set(op, (counts.get(op) ?? 0) + 1)
  }
  return counts
}
