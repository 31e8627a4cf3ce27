import type { TimedRecord } from '../../journal/timeline.ts'
import type { CourseTimes } from '../../records/deployment-course.ts'
import type { Head, Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import { isJoinOrHook, type Operation } from '../../records/operation.ts'
import {
  computeStepTimes,
  computeStepUsage,
  type CourseInput,
  findCriticalPath,
} from './analyze-course.ts'
import { listTimelineSteps, type OpenStep, type PastStep } from './course-steps.ts'

/**
 * The stage of an operation. `waiting`: an arrival is missing. `ready`: nothing is missing, and no
 * executor runs it. An interrupted operation has ended too.
 */
export type OperationStage = 'waiting' | 'ready' | 'running' | 'ended'

/** An operation of a deployment with its times, in ms. Joins and hooks are no such operations. */
export interface OperationTimes
  extends Pick<CourseTimes, 'callMs' | 'slotMs' | 'limitMs' | 'retryMs'> {
  readonly operation: Operation
  readonly stage: OperationStage
  readonly verdict?: Verdict
  /** The attempts that were not given back. */
  readonly attempts: number
  /** The time of the decision that planned the operation. */
  readonly decidedMs: number
  /** The time from which the operation could begin. Absent while it waits. */
  readonly readyMs?: number
  /** Absent until an outcome is recorded, because only the outcome has the time of its begin. */
  readonly beganMs?: number
  readonly endedMs?: number
  readonly isCritical: boolean
  /** The wave of a delete, from 1. Absent for operations that no plan of deletes contains. */
  readonly wave?: number
}

const noTimes = { callMs: 0, slotMs: 0, limitMs: 0, retryMs: 0 }

/** Returns the operations of a deployment with their times, in the order of their ids. */
export function listOperationTimes(input: CourseInput): readonly OperationTimes[] {
  const { timeline, getEnd, parallel } = input
  const { ended, open } = listTimelineSteps(timeline)
  const usage = computeStepUsage(ended, parallel)
  const criticalSteps = new Set(findCriticalPath(ended))
  const waves = numberWaves(timeline)
  const recordedFieldsOf = ({ operation }: Pick<PastStep, 'operation'>) => {
    const head = getEnd(operation.id)?.head
    const wave = waves.get(operation.id)
    return {
      operation,
      stage: stageOf(operation, head),
      ...(head?.end === undefined ? {} : { verdict: head.end.verdict }),
      attempts: head === undefined ? 0 : head.attempt - head.givenBack,
      ...(wave === undefined ? {} : { wave }),
    }
  }
  const endedTimes = ended.map((step): OperationTimes => {
    const { decidedMs, readyMs, beganMs, endedMs } = step
    const times = computeStepTimes(step, { usage, input, cursorMs: readyMs })
    const { engineMs: _engineMs, ...partTimes } = times
    const isCritical = criticalSteps.has(step)
    return {
      ...recordedFieldsOf(step),
      ...{ decidedMs, readyMs, beganMs, endedMs, isCritical },
      ...partTimes,
    }
  })
  const openTimes = open.map((step): OperationTimes => {
    const fields = recordedFieldsOf(step)
    const { decidedMs } = step
    const readyFields = fields.stage === 'waiting' ? {} : { readyMs: readyMsOf(step) }
    return { ...fields, decidedMs, ...readyFields, ...noTimes, isCritical: false }
  })
  return [...endedTimes, ...openTimes].toSorted((a, b) => a.operation.id - b.operation.id)
}

function readyMsOf({ decidedMs, cause }: OpenStep): number {
  return Math.max(decidedMs, cause?.endedMs ?? 0)
}

/** Returns the stage of an operation. `head`: undefined before the first write to the operation. */
export function stageOf(
  { needs }: Pick<Operation, 'needs'>,
  head: Head | undefined,
): OperationStage {
  if (head?.end !== undefined) return 'ended'
  if (head !== undefined && head.owner !== '') return 'running'
  return (head?.arrived.length ?? 0) < needs ? 'waiting' : 'ready'
}

/**
 * Numbers the waves of planned deletes: a delete is in the wave after the last one that it needs.
 * Relies on the order of a record's operations, in which each one follows those that release it.
 */
function numberWaves(timeline: readonly TimedRecord[]): ReadonlyMap<OperationId, number> {
  const waves = new Map<OperationId, number>()
  for (const { record, operations } of timeline) {
    if (!record.decisions.some(isPlanOfDeletes)) continue
    const wavesByNeed = new Map<OperationId, number>()
    for (const { operation } of operations) {
      const wave = wavesByNeed.get(operation.id) ?? 1
      const isStep = !isJoinOrHook(operation)
      if (isStep) waves.set(operation.id, wave)
      for (const id of operation.releases)
        wavesByNeed.set(id, Math.max(wavesByNeed.get(id) ?? 1, isStep ? wave + 1 : wave))
    }
  }
  return waves
}

function isPlanOfDeletes(decision: TimedRecord['record']['decisions'][number]): boolean {
  return decision.kind === 'plan' && decision.what === 'deletes'
}
