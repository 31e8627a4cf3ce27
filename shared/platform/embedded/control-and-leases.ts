import type { ControlPort, EventsPort, LeasesPort } from '../../ports/records.ts'
import type { RandomPort } from '../../ports/system.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the port for control records. A creation carries a token that identifies a repetition of
 * the same call.
 */
export function createControl(call: StoreCall, random: RandomPort): ControlPort {
  return {
    create: (deployment, holder) =>
      call('control.create', { deployment, holder, token: random.uuid() }),
    read: async deployment => (await call('control.read', { deployment })) ?? undefined,
    stop: async (deployment, stop) => void (await call('control.stop', { deployment, stop })),
    handOver: (deployment, holder, handOver) =>
      call('control.handOver', { deployment, holder, handOver }),
    hold: async (deployment, holder, takeoverNumber) =>
      void (await call('control.hold', { deployment, holder, at: takeoverNumber })),
    close: async deployment => void (await call('control.close', { deployment })),
  }
}

/** Creates the port for leases. */
export function createLeases(call: StoreCall): LeasesPort {
  return {
    register: async (deployment, executor, holder) =>
      void (await call('leases.register', { deployment, executor, holder })),
    renew: (deployment, executor, groups) => call('leases.renew', { deployment, executor, groups }),
    retire: async (deployment, executor) =>
      void (await call('leases.retire', { deployment, executor })),
    leave: async (deployment, executor) =>
      void (await call('leases.leave', { deployment, executor })),
    list: deployment => call('leases.list', { deployment }),
  }
}

/** Creates the port for engine events. */
export function createEvents(call: StoreCall): EventsPort {
  return {
    append: async (deployment, writer, firstLineNumber, events) =>
      void (await call('events.append', { deployment, writer, first: firstLineNumber, events })),
    read: (deployment, cursor, limit) => call('events.read', { deployment, cursor, limit }),
  }
}
