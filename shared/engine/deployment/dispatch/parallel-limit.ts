/**
 * The limit of `--parallel`, for each value of the option `execute`:
 *
 * - `here`: the executors of one process share slots (`createProcessSlots`).
 * - `elsewhere`: the queue limits all processes together (`deliveryLimitOf`). Each process also has
 *   slots of its own.
 * - `functions`: functions share no slots, so the generator limits the operations that it sends.
 *   Plans use `planLimitOf`, and the registrations of a program use `createChainSlots`.
 */
import type { DeploymentOptions } from '../../../records/log.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { EndWatcher } from '../ends/end-watcher.ts'
import type { Pin } from '../log/log-view.ts'
import { createOperationSlots, type OperationSlots } from './operation-slots.ts'
import { createSemaphore } from './semaphore.ts'

type LimitOptions = Pick<DeploymentOptions, 'execute' | 'parallel'>

/** Returns how many operations of a deployment may run at the same time. Pure. */
function operationsMaxOf({ parallel }: Pick<LimitOptions, 'parallel'>): number {
  return Math.max(1, parallel)
}

/**
 * Creates the slots that all executors of one process share. At most `--parallel` operations call
 * their providers at the same time.
 */
export function createProcessSlots(options: Pick<LimitOptions, 'parallel'>): OperationSlots {
  return createOperationSlots(operationsMaxOf(options))
}

/**
 * Returns how many operations of a deployment the queue may have in delivery, to all processes
 * together. Returns undefined unless separate processes run the operations. Pure.
 */
export function deliveryLimitOf(options: LimitOptions): number | undefined {
  return options.execute === 'elsewhere' ? operationsMaxOf(options) : undefined
}

/**
 * Returns how many operations a plan may have in flight. The limit is set only if functions run the
 * operations. Pure.
 */
export function planLimitOf({ options }: Pick<Pin, 'options'>): {
  readonly concurrencyMax?: number
} {
  return options.execute === 'functions' ? { concurrencyMax: operationsMaxOf(options) } : {}
}

/** The slots for the chains of a program. */
export interface ChainSlots {
  /** Waits for a slot for a chain of these operations. Resolves with the function to release it. */
  readonly acquire: (ids: readonly OperationId[]) => Promise<() => void>
}

/**
 * Creates the slots for the chains of a program. A chain holds one slot until it has ended. Returns
 * undefined unless functions run the operations. `runningIds`: the operations that were already
 * running. Each has a reserved slot from the beginning, because a program that runs again may
 * register new resources first. The slot stays reserved until the chain of the operation takes it,
 * or until the operation ends.
 */
export function createChainSlots(
  pin: Pick<Pin, 'options'>,
  runningIds: readonly OperationId[],
  watcher: Pick<EndWatcher, 'watch'>,
): ChainSlots | undefined {
  const { concurrencyMax } = planLimitOf(pin)
  if (concurrencyMax === undefined) return undefined
  const slots = createSemaphore(concurrencyMax)
  const reservedSlots = new Map(runningIds.map(id => [id, slots.acquire()]))
  const takeReserved = (id: OperationId): Promise<() => void> | undefined => {
    const reservedSlot = reservedSlots.get(id)
    reservedSlots.delete(id)
    return reservedSlot
  }
  const releaseReserved = (id: OperationId): void =>
    void takeReserved(id)?.then(release => release())
  watcher.watch(runningIds, {
    onEnd: releaseReserved,
    onFailed: () => [...reservedSlots.keys()].forEach(releaseReserved),
  })
  return {
    acquire(ids) {
      const reservedId = ids.find(id => reservedSlots.has(id))
      return (reservedId === undefined ? undefined : takeReserved(reservedId)) ?? slots.acquire()
    },
  }
}
