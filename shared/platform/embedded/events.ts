import type { EventsPort } from '../../ports/records.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/** Creates the port for engine events over the embedded store. */
export function createEvents(call: StoreCall): EventsPort {
  return {
    append: async (deployment, writer, firstLineNumber, events) =>
      void (await call('events.append', { deployment, writer, first: firstLineNumber, events })),
    read: (deployment, cursor, limit) => call('events.read', { deployment, cursor, limit }),
  }
}
