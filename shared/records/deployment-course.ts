import type { Urn } from '../names/urn.ts'
import type { Verdict } from './head.ts'
import type { StepOp } from './operation.ts'

/**
 * The parts of a period, in ms:
 * - `callMs`: a provider call ran.
 * - `slotMs`: a ready step waited for a slot of `--parallel`.
 * - `limitMs`: a ready step waited for a limit of calls, or because its provider was slowed.
 * - `retryMs`: earlier attempts and pauses before retries.
 * - `engineMs`: all other time, in which the program ran, or the engine checked, compared and
 *   recorded.
 */
export interface CourseTimes {
  readonly callMs: number
  readonly slotMs: number
  readonly limitMs: number
  readonly retryMs: number
  readonly engineMs: number
}

/** A step on the critical path, with the parts of the time since the end of the previous step. */
export interface CourseStep extends CourseTimes {
  readonly op: StepOp
  readonly urn: Urn
  readonly verdict: Verdict
}

/** The course of a deployment, from the times in its records. Times are in ms. */
export interface DeploymentCourse {
  /** The duration of the deployment. For an open deployment: the time until its last record. */
  readonly wallMs: number
  /** The maximum number of concurrent provider calls that the deployment allowed. */
  readonly parallel: number
  /** The parts of `wallMs`, along the critical path. Their sum is `wallMs`. */
  readonly time: CourseTimes
  /**
   * The path from the first step to the step that ended last. The end of each step made the next
   * step ready. `steps` has only the last 50 steps, `stepCount` counts all.
   */
  readonly criticalPath: {
    readonly ms: number
    readonly stepCount: number
    readonly steps: readonly CourseStep[]
  }
  /**
   * Sums over all steps, not only those on the critical path. `dependencyMs`: the time in which
   * planned steps, such as deletes, waited for other steps. `retriedSteps`: the number of steps
   * with several attempts.
   */
  readonly total: {
    readonly steps: number
    readonly callMs: number
    readonly slotMs: number
    readonly limitMs: number
    readonly dependencyMs: number
    readonly retryMs: number
    readonly retriedSteps: number
  }
}
