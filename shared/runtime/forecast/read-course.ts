import { analyzeCourse } from '../../engine/forecast/analyze-course.ts'
import { hasCode } from '../../errors/error.ts'
import type { HistoryRecord, StackRecord } from '../../ports/catalog.ts'
import type { DeploymentCourse } from '../../records/deployment-course.ts'
import type { JournalPorts } from '../compaction/fold-and-publish.ts'
import { readDeploymentTimes, requireStackDeployment } from '../state/deployment-times.ts'

/** The course of a deployment in the history. */
export interface RecordedCourse {
  readonly record: HistoryRecord
  /** Absent without records: they were removed, or the deployment is an edit of the state. */
  readonly course?: DeploymentCourse
}

/**
 * Reads the course of a deployment. An open deployment has its course so far. Throws MOMENT_UNKNOWN
 * when the stack has no such deployment.
 */
export async function readCourse(
  ports: JournalPorts,
  stack: StackRecord,
  number: number,
): Promise<RecordedCourse> {
  const { historyRecord: record } = await requireStackDeployment(ports, stack, number)
  const times = await readDeploymentTimes(ports, record).catch((thrown: unknown) => {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  })
  const parallel = times?.view.pin?.options.parallel
  if (times === undefined || parallel === undefined) return { record }
  const { timeline, ends } = times
  const course = analyzeCourse({
    timeline,
    getEnd: id => ends.get(id),
    startedMs: record.startedAt,
    endedMs: record.endedAt ?? timeline.at(-1)?.timeMs ?? record.startedAt,
    parallel,
  })
  return { record, course }
}
