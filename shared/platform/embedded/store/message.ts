import { type ErrorCode, catalogue } from '../../../errors/catalogue.ts'
import { type DeployError, error, messageOf } from '../../../errors/error.ts'
import type { ErrorDetails } from '../../../errors/error.ts'

/** Grows when requests or replies change, so that two versions never misunderstand each other. */
export const protocolVersion = 1

/** One request; `id` is unique on its connection. */
export interface StoreRequest {
  readonly id: number
  readonly method: string
  readonly args: unknown
}

/** The answer to the request of the same id. */
export type StoreReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: StoreFailure }

/** An error as plain data. */
export interface StoreFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly details: ErrorDetails
}

/** An error as data; what is not of the catalogue is a fault of ours. */
export function failureOf(thrown: unknown): StoreFailure {
  if (thrown instanceof Error && 'code' in thrown && 'details' in thrown) {
    const { code, message, details } = thrown as DeployError
    return { code, message, details }
  }
  return { code: 'INTERNAL_ASSERTION', message: messageOf(thrown), details: {} }
}

/** The error that a failure describes. */
export function errorOf(failure: StoreFailure): DeployError {
  const code = Object.hasOwn(catalogue, failure.code) ? failure.code : 'INTERNAL_ASSERTION'
  return error(code, failure.message, { details: failure.details })
}
