import type { ControlPort, LeasesPort } from '../../ports/records.ts'
import type { RandomPort } from '../../ports/system.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the port for control records over the embedded store. A creation contains a token that
 * identifies a repetition of the same call.
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

/** Creates the port for leases over the embedded store. */
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
