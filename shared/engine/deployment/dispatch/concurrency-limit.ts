import { createSlots, type Slots } from './slots.ts'
import type { Pin } from '../log/log-view.ts'

/**
 * Returns how many operations a plan may have in flight. The limit is set only for functions,
 * because these do not know each other. Executors of one machine share their slots. Pure.
 */
export function concurrencyLimitOf({ options }: Pick<Pin, 'options'>): {
  readonly concurrencyMax?: number
} {
  const { execute, parallel } = options
  return execute === 'functions' ? { concurrencyMax: Math.max(1, parallel) } : {}
}

/**
 * Creates the slots for the chains of a program. A chain holds one slot until it has ended. Returns
 * undefined if the deployment has no limit.
 */
export function createChainSlots(pin: Pick<Pin, 'options'>): Slots | undefined {
  const { concurrencyMax } = concurrencyLimitOf(pin)
  return concurrencyMax === undefined ? undefined : createSlots(concurrencyMax)
}
