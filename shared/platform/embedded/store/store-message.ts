import { type ErrorCode, catalogue } from '../../../errors/catalogue.ts'
import { DeployError, createError, messageOf } from '../../../errors/error.ts'
import type { ErrorDetails } from '../../../errors/error.ts'

/**
 * The version of requests and replies. A change of either increments it, so that different versions
 * never misread each other.
 */
export const protocolVersion = 7

/**
 * A signal to all other processes that have the store open. Signals are an optimization and may get
 * lost.
 */
export type StoreSignal =
  /** The chain queue may have a message that a receiver can take. */
  | { readonly topic: 'chains' }
  /** An operation may have ended. */
  | { readonly topic: 'ended'; readonly deployment: string; readonly operation: number }
  /** A stack needs a check. */
  | { readonly topic: 'nudge'; readonly stack: string }

/** The method of requests that contain a signal. They have the id 0 and get no reply. */
export const signalMethod = 'signal'

/** A request. `id` is unique on its connection, except for signals, which have the id 0. */
export interface StoreRequest {
  readonly id: number
  readonly method: string
  readonly args: unknown
}

/** The reply to the request with the same id, or a signal of another process. */
export type StoreReply =
  | { readonly id: 0; readonly signal: StoreSignal }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: StoreFailure }

/** An error as plain data. */
export interface StoreFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly details: ErrorDetails
  /** The hint of the error. Absent: that of the catalogue. */
  readonly hint?: string
}

/**
 * Converts an error to plain data. An error outside of the catalogue becomes INTERNAL_ASSERTION.
 */
export function toStoreFailure(thrown: unknown): StoreFailure {
  if (thrown instanceof DeployError) {
    const { code, message, details, hint } = thrown
    return { code, message, details, ...(hint === catalogue[code].hint ? {} : { hint }) }
  }
  return { code: 'INTERNAL_ASSERTION', message: messageOf(thrown), details: {} }
}

/** Converts a failure back to an error. An unknown code becomes INTERNAL_ASSERTION. */
export function toStoreError(failure: StoreFailure): DeployError {
  const code = Object.hasOwn(catalogue, failure.code) ? failure.code : 'INTERNAL_ASSERTION'
  const { message, details, hint } = failure
  return createError(code, message, { details, ...(hint === undefined ? {} : { hint }) })
}
