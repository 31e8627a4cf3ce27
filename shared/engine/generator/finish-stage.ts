import type { Urn } from '../../names/urn.ts'
import { emitStep } from '../events/emit-step.ts'
import type { DecisionPorts, GeneratorContext } from './context.ts'
import type { CurrentState } from './sets.ts'
import type {
  AnsweredResult,
  DecidedResult,
  Diagnostic,
  FailedResult,
  Failure,
  Result,
  StageResult,
} from './stage.ts'

/**
 * The exception that the generator throws to its callers when the deployment ends early. The error
 * was reported already.
 */
export class DeploymentAborted extends Error {
  constructor() {
    super('the deployment ends here; its error was reported')
    this.name = 'DeploymentAborted'
  }
}

/**
 * The exception that the generator throws to its callers when a registration failed and the
 * deployment continues, for example with `--continue-on-error`. `isDependencyFailure`: the
 * registration failed only because a dependency failed.
 */
export class RegistrationFailed extends Error {
  readonly isDependencyFailure: boolean
  /** The registered URN. '' while the URN is unknown. */
  readonly urn: Urn | ''

  constructor({ isDependencyFailure = false, urn = '' }: Partial<RegistrationFailed> = {}) {
    super('resource registration failed')
    this.name = 'RegistrationFailed'
    this.isDependencyFailure = isDependencyFailure
    this.urn = urn
  }
}

/**
 * Applies the delta of a stage, emits its step, and reports its errors. Returns the result without
 * delta, step and reported errors, so finishing it twice has no second effect. Synchronous, so that
 * the next decision sees the effects of this one.
 */
export function finishStage<T>(ctx: GeneratorContext, result: Result<T>): Result<T>
export function finishStage<T>(ctx: GeneratorContext, result: StageResult<T>): StageResult<T>
export function finishStage<T>(ctx: GeneratorContext, result: StageResult<T>): StageResult<T> {
  if (result.delta !== undefined) ctx.apply(result.delta)
  switch (result.kind) {
    case 'decided':
      return finishDecided(ctx, result)
    case 'failed':
      return { kind: 'failed', failure: applyFailure(ctx.ports, result.failure) }
    default:
      return finishAnswered(ctx, result)
  }
}

function finishDecided<T>({ ports }: GeneratorContext, result: DecidedResult<T>): DecidedResult<T> {
  const { diagnostics = [], value } = result
  emitDiagnostics(ports, diagnostics)
  if (diagnostics.length > 0) ports.markFailed()
  return { kind: 'decided', value }
}

function finishAnswered(
  { ports }: GeneratorContext,
  { kind, current, step }: AnsweredResult,
): AnsweredResult {
  if (step !== undefined) emitStep(ports.emitter, step)
  return { kind, current }
}

/**
 * Reports a failure, and ends the deployment if the failure requires that. Returns the failure
 * without the reported errors.
 */
export function applyFailure(ports: DecisionPorts, failure: Failure): Failure {
  emitDiagnostics(ports, failure.diagnostics)
  if (failure.isDependencyFailure !== true) ports.markFailed()
  if (failure.endedPart === 'deployment') ports.abort()
  return { ...failure, diagnostics: [] }
}

/** Emits errors as diagnostics. */
export function emitDiagnostics(
  { emitter }: Pick<DecisionPorts, 'emitter'>,
  diagnostics: readonly Diagnostic[],
): void {
  for (const { message, urn } of diagnostics) emitter.report('error', message, urn)
}

/**
 * Finishes a result, and returns its value. A failure is thrown as `DeploymentAborted` or
 * `RegistrationFailed`.
 */
export function unwrap<T>(ctx: GeneratorContext, result: Result<T>): T {
  const finishedResult = finishStage(ctx, result)
  if (finishedResult.kind === 'decided') return finishedResult.value
  throw toException(finishedResult)
}

/**
 * Finishes the result of a registration or read, and returns the resource that answers it. A
 * failure is thrown like in `unwrap`.
 */
export function unwrapAnswer(
  ctx: GeneratorContext,
  result: StageResult<CurrentState>,
): CurrentState {
  const finishedResult = finishStage(ctx, result)
  if (finishedResult.kind === 'decided' || finishedResult.kind === 'failed')
    return unwrap(ctx, finishedResult)
  return finishedResult.current
}

function toException({ failure }: FailedResult): DeploymentAborted | RegistrationFailed {
  if (failure.endedPart === 'deployment') return new DeploymentAborted()
  return new RegistrationFailed(failure)
}
