/**
 * schedule: turns due schedules into requests of their stacks, and delivers notifications. The
 * function reads no journal and no blobs, and runs no operations.
 */
import type { DocumentKey } from '../../shared/ports/documents.ts'
import type { StackId } from '../../shared/records/ids.ts'
import {
  runSchedule,
  type ScheduleRunResult,
} from '../../shared/triggers/schedules/run-schedule.ts'
import type { ScheduleServer } from './schedule-server.ts'
import { runSharedSchedule } from './run-shared-schedule.ts'
import { createScheduleRequest } from '../../shared/triggers/trigger-requests.ts'

/**
 * Checks one schedule, and puts a request if a run is due. Of several concurrent callers, only one
 * puts the request. A schedule of a missing stack is only logged. Throws the errors of
 * `runSchedule`.
 */
export async function runDueSchedule(
  server: ScheduleServer,
  key: DocumentKey,
): Promise<ScheduleRunResult['kind']> {
  if (key.scope === '*') {
    const stored = await server.documents.get(key)
    if (stored === undefined) return 'gone'
    return (await runSharedSchedule(server, stored)) === undefined ? 'wait' : 'run'
  }
  const { catalog, requests, nudges, clock, logger, execute, hasExternalJitter = false } = server
  const runResult = await runSchedule(
    {
      ...server,
      hasExternalJitter,
      isRunning: async scope => {
        if (scope === '*') return false
        if (((await catalog.getStack(scope))?.current ?? '') !== '') return true
        return (await requests.listWaiting(scope, 1)).length > 0
      },
      send: async ({ scope, name }, schedule, dueAt) => {
        if (!(await hasStack(server, scope))) {
          logger.write('warn', 'schedule.stackless', { stack: scope, schedule: name })
          return
        }
        const stack = scope as StackId
        const requestOptions = { requestedAt: clock.now(), execute }
        await requests.put(
          createScheduleRequest({ stack, name, schedule, due: dueAt }, requestOptions),
        )
        await nudges.nudge(stack, 0)
      },
    },
    key,
  )
  const { scope: stack, name: schedule } = key
  const atField = 'dueAt' in runResult ? { at: runResult.dueAt } : {}
  if (runResult.kind !== 'wait')
    logger.write('info', 'schedule.seen', { stack, schedule, kind: runResult.kind, ...atField })
  return runResult.kind
}

async function hasStack(
  { catalog }: Pick<ScheduleServer, 'catalog'>,
  scope: DocumentKey['scope'],
): Promise<boolean> {
  return scope !== '*' && (await catalog.getStack(scope)) !== undefined
}
