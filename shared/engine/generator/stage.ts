/**
 * The results of the stages of a registration. A stage decides, and its result is data: the value
 * for the next stage, an answer that ends the registration, or a failure. `finishStage` applies it.
 */
import type { Urn } from '../../names/urn.ts'
import type { Step } from '../step.ts'
import type { DecisionInput } from './context.ts'
import type { CurrentState } from './sets.ts'
import type { SetsDelta } from './sets-delta.ts'

/** An error to report; `urn`: the resource that it is shown with. */
export interface Diagnostic {
  readonly message: string
  readonly urn?: Urn
}

/** Why a registration has no answer. The errors of steps were reported when the steps ended. */
export interface Failure {
  /** Errors that are not reported yet. */
  readonly diagnostics: readonly Diagnostic[]
  /** `deployment`: nothing more is decided; `registration`: the deployment continues. */
  readonly ends: 'deployment' | 'registration'
  /** Whether the registration was skipped because a dependency failed. */
  readonly isSkipped?: boolean
  /** The registered URN, for the reply to the program. */
  readonly urn?: Urn
}

/** The next stage continues with `value`. */
export interface Decided<T> {
  readonly kind: 'decided'
  readonly value: T
  readonly delta?: SetsDelta
  /** Errors after which the stage continues, because a preview names all of them. */
  readonly diagnostics?: readonly Diagnostic[]
}

/** The registration is answered: its old state stays, it is not created, or a record answers it. */
export interface Answered {
  readonly kind: 'kept' | 'skipped' | 'replayed'
  readonly current: CurrentState
  readonly delta?: SetsDelta
  /** The step that the events show for the answer; absent: none. */
  readonly step?: Step
}

/** The registration has no answer. */
export interface Failed {
  readonly kind: 'failed'
  readonly failure: Failure
  readonly delta?: SetsDelta
}

/** The result of a stage that may answer the registration. */
export type StageResult<T> = Decided<T> | Answered | Failed

/** The result of a stage that decides or fails. */
export type Result<T> = Decided<T> | Failed

/** Returns the result of a stage after which the next one continues. */
export function decided<T>(value: T, delta: SetsDelta = {}): Decided<T> {
  return { kind: 'decided', value, delta }
}

/** Returns a failure that ends the deployment with one error. */
export function failDeployment(message: string, urn?: Urn): Failed {
  const diagnostic = urn === undefined ? { message } : { message, urn }
  return { kind: 'failed', failure: { diagnostics: [diagnostic], ends: 'deployment' } }
}

/** The result of a stage that stops because the deployment ends; the error was reported already. */
export const stopped: Failed = {
  kind: 'failed',
  failure: { diagnostics: [], ends: 'deployment' },
}

/**
 * Returns the failure of a registration whose step did not succeed. It ends the deployment, unless
 * the deployment continues after errors. `continues`: this failure never ends it.
 */
export function failStep(
  { continueOnError }: Pick<DecisionInput, 'continueOnError'>,
  continues = false,
): Failed {
  const ends = continueOnError || continues ? 'registration' : 'deployment'
  return { kind: 'failed', failure: { diagnostics: [], ends } }
}
