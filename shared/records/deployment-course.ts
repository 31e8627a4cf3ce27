import type { Urn } from '../names/urn.ts'
import type { Verdict } from './head.ts'
import type { StepOp } from './operation.ts'

/**
 * The parts of a period, in ms. `callMs`: provider calls. `slotMs`: ready steps that waited for a
 * slot of `--parallel`. `limitMs`: ready steps that waited for limits of calls, or for a slowed
 * provider. `retryMs`: repeated attempts and their pauses. `engineMs`: all other time, which the
 * program, checks, diffs and records took.
 */
export interface CourseTimes {
  readonly callMs: number
  readonly slotMs: number
  readonly limitMs: number
  readonly retryMs: number
  readonly engineMs: number
}

/** A step on the critical path, with the times since the end of the previous step. */
export interface CourseStep extends CourseTimes {
  readonly op: StepOp
  readonly urn: Urn
  readonly verdict: Verdict
}

/** The course of a deployment, from the times in its records. Times are in ms. */
export interface DeploymentCourse {
  /** The duration of the deployment, until its last record if it is open. */
  readonly wallMs: number
  /** The maximum number of concurrent provider calls. */
  readonly parallel: number
  /** The parts of `wallMs`, along the critical path. Their sum is `wallMs`. */
  readonly time: CourseTimes
  /**
   * The chain of steps that ended last: each step began after the end of the previous one, on which
   * it depends. `steps` has at most 50 of them.
   */
  readonly criticalPath: {
    readonly ms: number
    readonly stepCount: number
    readonly steps: readonly CourseStep[]
  }
  /**
   * Sums over all steps, on the critical path or not. `dependencyMs`: the time that planned steps,
   * such as deletes, waited for others. `retriedSteps`: the number of steps with several attempts.
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
