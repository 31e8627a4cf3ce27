/**
 * The results of the stages of a registration. A stage returns data: the value for the next stage,
 * an answer that ends the registration, or a failure. `finishStage` applies the changes that the
 * data contain.
 */
import type { Urn } from '../../names/urn.ts'
import type { Step } from '../step.ts'
import type { DecisionInput } from './context.ts'
import type { CurrentState } from './sets.ts'
import type { SetsDelta } from './sets-delta.ts'

/** An error to report. `urn`: the resource that the report names. */
export interface Diagnostic {
  readonly message: string
  readonly urn?: Urn
}

/**
 * The failure of a registration, which then has no resource to return. Errors of steps were
 * reported when the steps ended.
 */
export interface Failure {
  /** Errors that are not reported yet. */
  readonly diagnostics: readonly Diagnostic[]
  /**
   * The part that the failure ends. `deployment`: no further decisions are made. `registration`:
   * the deployment continues.
   */
  readonly endedPart: 'deployment' | 'registration'
  /** Whether the registration fails because a dependency failed. No error is reported for it. */
  readonly isDependencyFailure?: boolean
  /** The registered URN, for the reply to the program. */
  readonly urn?: Urn
}

/** The result of a stage after which the next stage continues with `value`. */
export interface DecidedResult<T> {
  readonly kind: 'decided'
  readonly value: T
  readonly delta?: SetsDelta
  /** Errors after which the registration continues, because a preview reports all errors. */
  readonly diagnostics?: readonly Diagnostic[]
}

/**
 * The result of a stage after which the registration is answered. No later stage runs. `kept`: the
 * old state stays. `skipped`: the resource is not created. `replayed`: a record contains the
 * answer.
 */
export interface AnsweredResult {
  readonly kind: 'kept' | 'skipped' | 'replayed'
  readonly current: CurrentState
  readonly delta?: SetsDelta
  /** The step that the events show for the answer. Absent if they show none. */
  readonly step?: Step
}

/** The result of a stage that failed. The registration has no resource to return. */
export interface FailedResult {
  readonly kind: 'failed'
  readonly failure: Failure
  readonly delta?: SetsDelta
}

/** The result of a stage that may answer the registration. */
export type StageResult<T> = DecidedResult<T> | AnsweredResult | FailedResult

/** The result of a stage that decides or fails. */
export type Result<T> = DecidedResult<T> | FailedResult

/** Returns the result of a stage after which the next one continues. */
export function toDecided<T>(value: T, delta: SetsDelta = {}): DecidedResult<T> {
  return { kind: 'decided', value, delta }
}

/** Returns a failure that ends the deployment with one error. */
export function failDeployment(message: string, urn?: Urn): FailedResult {
  const diagnostic = urn === undefined ? { message } : { message, urn }
  return { kind: 'failed', failure: { diagnostics: [diagnostic], endedPart: 'deployment' } }
}

/** The result of a stage that stops because the deployment ends. The error was reported already. */
export const stoppedResult: FailedResult = {
  kind: 'failed',
  failure: { diagnostics: [], endedPart: 'deployment' },
}

/**
 * Returns the failure of a registration whose step did not succeed. The failure ends the
 * deployment, unless the deployment continues after errors. `mustContinue`: the deployment
 * continues in any case.
 */
export function failStep(
  { continueOnError }: Pick<DecisionInput, 'continueOnError'>,
  mustContinue = false,
): FailedResult {
  const endedPart = continueOnError || mustContinue ? 'registration' : 'deployment'
  return { kind: 'failed', failure: { diagnostics: [], endedPart } }
}
