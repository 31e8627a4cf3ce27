import type { TimedRecord } from '../../journal/timeline.ts'
import type { CourseStep, CourseTimes, DeploymentCourse } from '../../records/deployment-course.ts'
import type { Head, Outcome } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import { listTimelineSteps, type FinishedStep } from './course-steps.ts'
import { computeSlotUsage, type SlotUsage } from './slot-usage.ts'

/** Maximum number of listed steps of a critical path. */
const pathMax = 50

/**
 * The records of a deployment. `endedMs`: the time of its end or, while it is open, of its last
 * record.
 */
export interface CourseInput {
  readonly timeline: readonly TimedRecord[]
  readonly getEnd: (
    operation: OperationId,
  ) => { readonly head: Head; readonly outcome?: Outcome } | undefined
  readonly startedMs: number
  readonly endedMs: number
  readonly parallel: number
}

/**
 * Finds the critical path of a deployment, and divides the duration of the deployment into
 * parts. The path leads back from the step that ended last to the step whose end it waited for, and
 * so on. A gap before a step counts as retries if the step had several attempts. Otherwise the part
 * of the gap in which all slots were in use counts as waiting for a slot. The rest of the gap
 * counts as waiting for limits if the call had limits, and as time of the engine otherwise.
 */
export function analyzeCourse(input: CourseInput): DeploymentCourse {
  const { startedMs, endedMs, parallel } = input
  const steps = listTimelineSteps(input.timeline).ended
  const usage = computeStepUsage(steps, parallel)
  const path = findCriticalPath(steps)
  let cursorMs = startedMs
  const courseSteps = path.map((step): CourseStep => {
    const times = computeStepTimes(step, { cursorMs, usage, input })
    cursorMs = Math.max(cursorMs, step.endedMs)
    const { op, urn, id } = step.operation
    return { op, urn, verdict: input.getEnd(id)?.head.end?.verdict ?? 'interrupted', ...times }
  })
  const pathTimes = sumTimes(courseSteps)
  const lastMs = Math.max(endedMs, cursorMs)
  const time = { ...pathTimes, engineMs: pathTimes.engineMs + lastMs - cursorMs }
  return {
    wallMs: lastMs - startedMs,
    parallel,
    time,
    criticalPath: {
      ms: pathTimes.callMs + pathTimes.slotMs + pathTimes.limitMs + pathTimes.retryMs,
      stepCount: path.length,
      steps: courseSteps.slice(-pathMax),
    },
    total: totalOf(steps, { usage, input }),
  }
}

/** Computes when the steps used all slots. */
export function computeStepUsage(
  steps: readonly Pick<FinishedStep, 'beganMs' | 'endedMs'>[],
  parallel: number,
): SlotUsage {
  return computeSlotUsage(
    steps.map(step => ({ startMs: step.beganMs, endMs: step.endedMs })),
    Math.max(1, parallel),
  )
}

/** Returns the path to the step that ended last, in order of time. */
function findCriticalPath(steps: readonly FinishedStep[]): readonly FinishedStep[] {
  const path: FinishedStep[] = []
  const lastStep = steps.reduce<FinishedStep | undefined>(
    (last, step) => (last === undefined || step.endedMs > last.endedMs ? step : last),
    undefined,
  )
  for (let step = lastStep; step !== undefined; step = step.cause) path.push(step)
  return path.reverse()
}

/** Divides the time between `cursorMs` and the end of a step into the parts of `CourseTimes`. */
export function computeStepTimes(
  step: FinishedStep,
  context: {
    readonly cursorMs: number
    readonly usage: SlotUsage
    readonly input: Pick<CourseInput, 'getEnd'>
  },
): CourseTimes {
  const readyMs = Math.max(step.readyMs, context.cursorMs)
  const beganMs = Math.max(step.beganMs, readyMs)
  const { isRetried, pausedMs } = retriesOf(step, context.input)
  const gapMs = isRetried ? 0 : beganMs - readyMs
  const callAndPauseMs = Math.max(0, step.endedMs - beganMs)
  const pauseMs = Math.min(pausedMs, callAndPauseMs)
  const slotMs = Math.min(gapMs, context.usage.allSlotsBusyMsBetween(readyMs, beganMs))
  const isLimited = context.input.getEnd(step.operation.id)?.outcome?.isLimited === true
  const limitMs = isLimited ? gapMs - slotMs : 0
  return {
    callMs: callAndPauseMs - pauseMs,
    slotMs,
    limitMs,
    retryMs: pauseMs + (isRetried ? beganMs - readyMs : 0),
    engineMs: readyMs - context.cursorMs + gapMs - slotMs - limitMs,
  }
}

/**
 * Returns whether an earlier attempt of a step may have called the provider, and the total of the
 * pauses before retries of its last call.
 */
function retriesOf(
  { operation }: FinishedStep,
  { getEnd }: Pick<CourseInput, 'getEnd'>,
): { readonly isRetried: boolean; readonly pausedMs: number } {
  const end = getEnd(operation.id)
  const attemptCount = end === undefined ? 0 : end.head.attempt - end.head.givenBack
  return { isRetried: attemptCount > 1, pausedMs: end?.outcome?.pausedMs ?? 0 }
}

function totalOf(
  steps: readonly FinishedStep[],
  context: { readonly usage: SlotUsage; readonly input: CourseInput },
): DeploymentCourse['total'] {
  // The parts of each step are counted from the time at which the step became ready, regardless of
  // other steps.
  const times = steps.map(step => computeStepTimes(step, { ...context, cursorMs: step.readyMs }))
  const { callMs, slotMs, limitMs, retryMs } = sumTimes(times)
  const dependencyMs = steps.reduce((sum, step) => sum + step.readyMs - step.decidedMs, 0)
  const retriedSteps = steps.filter(step => {
    const { isRetried, pausedMs } = retriesOf(step, context.input)
    return isRetried || pausedMs > 0
  })
  return {
    steps: steps.length,
    callMs,
    slotMs,
    limitMs,
    dependencyMs,
    retryMs,
    retriedSteps: retriedSteps.length,
  }
}

function sumTimes(parts: readonly CourseTimes[]): CourseTimes {
  const sumOf = (field: keyof CourseTimes): number =>
    parts.reduce((sum, part) => sum + part[field], 0)
  return {
    callMs: sumOf('callMs'),
    slotMs: sumOf('slotMs'),
    limitMs: sumOf('limitMs'),
    retryMs: sumOf('retryMs'),
    engineMs: sumOf('engineMs'),
  }
}
