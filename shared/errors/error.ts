/**
 * errors: the class of the errors that users see, and the catalogue of error codes. Imports nothing
 * of the project.
 *
 * Invariants: every error that a user sees has a code of the catalogue. A caller distinguishes
 * errors by the code of a `DeployError`, never by its message. Secrets are redacted before an error
 * is created, never when it is printed.
 */
import { type ErrorCode, catalogue } from './catalogue.ts'

/** Facts about an error: names and numbers, never secret values. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** An error for users: a code of the catalogue, a message, facts and a hint. */
export class DeployError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** One line with the next step for the user. Defaults to the hint of the catalogue. */
  readonly hint: string

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'DeployError'
    this.code = code
    this.details = options.details ?? {}
    this.hint = options.hint ?? catalogue[code].hint
  }
}

/** Optional parts of an error besides its message. */
export interface ErrorOptions {
  readonly details?: ErrorDetails
  readonly hint?: string
  readonly cause?: unknown
}

/** Creates an error of the catalogue, as in `throw createError('STACK_NOT_FOUND', …)`. */
export function createError(
  code: ErrorCode,
  message: string,
  options: ErrorOptions = {},
): DeployError {
  return new DeployError(code, message, options)
}

/** Reports whether `thrown` is a `DeployError` with this code. */
export function hasCode(thrown: unknown, code: ErrorCode): thrown is DeployError {
  return thrown instanceof DeployError && thrown.code === code
}

/** Reports whether a text is a code of the catalogue. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(catalogue, text)
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Throws INTERNAL_ASSERTION if the condition is false. The message names the assumption. */
export function assert(condition: unknown, assumption: string): asserts condition {
  if (!condition) throw new DeployError('INTERNAL_ASSERTION', `assumption broken: ${assumption}`)
}
