import { createSlots, type Slots } from './slots.ts'
import type { Pin } from '../log/log-view.ts'

/**
 * How many operations a plan may have in flight, where nobody else bounds that: executors of one
 * machine share their slots, functions know nothing of each other. Pure.
 */
export function concurrencyLimitOf({ options }: Pick<Pin, 'options'>): {
  readonly concurrencyMax?: number
} {
  const { execute, parallel } = options
  return execute === 'functions' ? { concurrencyMax: Math.max(1, parallel) } : {}
}

/** The slots of chains that a program asks for, of which each takes one until it has ended. */
export function createChainSlots(pin: Pick<Pin, 'options'>): Slots | undefined {
  const { concurrencyMax } = concurrencyLimitOf(pin)
  return concurrencyMax === undefined ? undefined : createSlots(concurrencyMax)
}
