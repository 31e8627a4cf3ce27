/**
 * errors: the one error class and the catalogue of its codes. Imports nothing of the project.
 *
 * Invariants: every error that reaches a person has a code of the catalogue; nobody decides on a
 * message; secrets are redacted before an error is made, never when it is printed.
 */
import { type ErrorCode, catalogue } from './catalogue.ts'

/** Facts that belong to an error: names and numbers, never secret values. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** The only error class of Antichain: a catalogue code, a sentence, facts, and what to do next. */
export class DeployError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** One line: what the reader can do now. Defaults to the hint of the catalogue. */
  readonly hint: string

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'DeployError'
    this.code = code
    this.details = options.details ?? {}
    this.hint = options.hint ?? catalogue[code].hint
  }
}

/** What can go with an error besides its sentence. */
export interface ErrorOptions {
  readonly details?: ErrorDetails
  readonly hint?: string
  readonly cause?: unknown
}

/** Makes an error of the catalogue; `throw error('STACK_NOT_FOUND', …)`. */
export function error(code: ErrorCode, message: string, options: ErrorOptions = {}): DeployError {
  return new DeployError(code, message, options)
}

/** Whether `thrown` is an error of ours with this code. */
export function hasCode(thrown: unknown, code: ErrorCode): thrown is DeployError {
  return thrown instanceof DeployError && thrown.code === code
}

/** Whether a text is a code of the catalogue. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(catalogue, text)
}

/** The sentence of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Ends an impossible path; the message names the broken assumption. */
export function assert(condition: unknown, assumption: string): asserts condition {
  if (!condition) throw new DeployError('INTERNAL_ASSERTION', `assumption broken: ${assumption}`)
}
