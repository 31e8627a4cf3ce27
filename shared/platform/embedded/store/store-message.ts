import { type ErrorCode, catalogue } from '../../../errors/catalogue.ts'
import { DeployError, error, messageOf } from '../../../errors/error.ts'
import type { ErrorDetails } from '../../../errors/error.ts'

/** Grows when requests or replies change, so that two versions never misunderstand each other. */
export const protocolVersion = 5

/** Said to every other process that has the store open: a shortcut that may get lost. */
export type StoreSignal =
  /** The queue of chains has something. */
  | { readonly topic: 'chains' }
  | { readonly topic: 'ended'; readonly deployment: string; readonly operation: number }
  | { readonly topic: 'nudge'; readonly stack: string }

/** A request of this method has a signal as its arguments, the id 0, and no reply. */
export const signalMethod = 'signal'

/** One request; `id` is unique on its connection. */
export interface StoreRequest {
  readonly id: number
  readonly method: string
  readonly args: unknown
}

/** The answer to the request of the same id, or what another process signals. */
export type StoreReply =
  | { readonly id: 0; readonly signal: StoreSignal }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: StoreFailure }

/** An error as plain data. */
export interface StoreFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly details: ErrorDetails
}

/** An error as data; what is not of the catalogue is a fault of ours. */
export function toStoreFailure(thrown: unknown): StoreFailure {
  if (thrown instanceof DeployError) {
    const { code, message, details } = thrown
    return { code, message, details }
  }
  return { code: 'INTERNAL_ASSERTION', message: messageOf(thrown), details: {} }
}

/** The error that a failure describes. */
export function errorFromFailure(failure: StoreFailure): DeployError {
  const code = Object.hasOwn(catalogue, failure.code) ? failure.code : 'INTERNAL_ASSERTION'
  return error(code, failure.message, { details: failure.details })
}
