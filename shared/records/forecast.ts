import type { Urn } from '../names/urn.ts'
import type { StepOp } from './operation.ts'

/**
 * The source of an expected duration. `resource`: earlier calls of the same kind for the same
 * resource. `type`: earlier calls for resources of its type. `documentation`: the documentation of
 * a slow type. `package`: earlier calls for resources of its package. `default`: the fixed duration
 * for a step without any of these.
 */
export type EstimateSource = 'resource' | 'type' | 'documentation' | 'package' | 'default'

/** A step of the critical path. `ms`: the expected duration of its provider call, in ms. */
export interface ForecastStep {
  readonly op: StepOp
  readonly urn: Urn
  readonly ms: number
  readonly source: EstimateSource
}

/**
 * A resource that a command does not delete. `protected`: the resource stays in the state.
 * `retained`: only its object stays. `keepsCount`: the number of other resources whose objects stay
 * because of it. `keeps`: the first few of these resources.
 */
export interface KeptResource {
  readonly urn: Urn
  readonly reason: 'protected' | 'retained'
  readonly keepsCount: number
  readonly keeps: readonly Urn[]
}

/**
 * The expected course of the steps in a preview. All times are in ms. Lists have a maximum length;
 * the counts include the omitted entries.
 */
export interface Forecast {
  /** The maximum number of concurrent provider calls for which `wallMs` is computed. */
  readonly parallel: number
  /** The number of steps, without unchanged resources. */
  readonly steps: number
  /** The number of steps in each wave. A wave contains steps that do not depend on each other. */
  readonly waves: readonly number[]
  readonly waveCount: number
  /** The number of steps in the largest wave. */
  readonly width: number
  readonly criticalPath: {
    /** The sum of the durations. No deployment takes less time. */
    readonly ms: number
    readonly stepCount: number
    readonly steps: readonly ForecastStep[]
  }
  /** The sum of the durations of all provider calls. */
  readonly workMs: number
  /** The expected time from the start of the first provider call to the end of the last one. */
  readonly wallMs: number
  /**
   * The expected time without provider calls: for the program, checks, diffs and records. Absent
   * when no earlier deployment shows it.
   */
  readonly overheadMs?: number | undefined
  /** The number of provider calls by the source of their expected duration. */
  readonly estimates: Readonly<Partial<Record<EstimateSource, number>>>
  readonly kept: readonly KeptResource[]
  readonly keptCount: number
}
