import { courseView } from '../../functions/api/course-view.ts'
import { hasCode } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { DeploymentCourse } from '../../shared/records/deployment-course.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { RecordedCourse } from '../../shared/runtime/forecast/read-course.ts'
import type { ApiClient } from './api-client.ts'
import { stackPathOf } from './stack-path.ts'

/**
 * Reads the course of a deployment from the API. The course is absent if its records were removed.
 * Throws DEPLOYMENT_UNKNOWN.
 */
export async function readRemoteCourse(
  client: ApiClient,
  stack: StackId,
  number: number,
): Promise<RecordedCourse> {
  const path = `${stackPathOf(stack)}/deployments/${number}`
  const record = (await client.call({ method: 'GET', path })) as HistoryRecord
  try {
    const response = await client.call({ method: 'GET', path: `${path}/course` })
    return { record, course: courseView.parse(response) as unknown as DeploymentCourse }
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return { record }
    throw thrown
  }
}
