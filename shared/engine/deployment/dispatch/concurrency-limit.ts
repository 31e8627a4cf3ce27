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
import type { Pin } from '../log/log-view.ts'
import { createOperationSlots, type OperationSlots } from './operation-slots.ts'
import { createSlots, type Slots } from './slots.ts'

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

/**
 * Creates the slots for the chains of a program. A chain holds one slot until it has ended. Returns
 * undefined unless functions run the operations.
 */
export function createChainSlots(pin: Pick<Pin, 'options'>): Slots | undefined {
  const { concurrencyMax } = planLimitOf(pin)
  return concurrencyMax === undefined ? undefined : createSlots(concurrencyMax)
}
