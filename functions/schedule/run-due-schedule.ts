/**
 * schedule: what happens by itself. Schedules that are due become requests of their stacks; what is
 * to be told outside is told. It reads no journal and no blobs and runs nothing.
 */
import type { DocumentKey, TriggerPorts } from '../../shared/ports/documents.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { DeploymentOptions } from '../../shared/records/log.ts'
import { runSchedule, type ScheduleRun } from '../../shared/triggers/schedules/run-schedule.ts'
import { createScheduleRequest } from '../../shared/triggers/trigger-requests.ts'

/** What schedules are run with. */
export interface ScheduleServer extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly requests: Pick<Platform['requests'], 'put' | 'listWaiting'>
  readonly catalog: Pick<Platform['catalog'], 'getStack'>
  readonly nudges: Pick<Platform['nudges'], 'nudge'>
  readonly clock: Pick<Platform['clock'], 'now'>
  readonly logger: Platform['logger']
  /** Who runs the operations of what is asked for. */
  readonly execute: DeploymentOptions['execute']
  /** Whether somebody else spreads the runs already; see `RunDeps`. */
  readonly isSpreadElsewhere?: boolean
}

/**
 * Looks at one schedule and asks for what is due: once for each run, whoever else looks. A stack
 * that is not there has nothing to do. Throws what `runSchedule` throws.
 */
export async function runDueSchedule(
  server: ScheduleServer,
  key: DocumentKey,
): Promise<ScheduleRun['kind']> {
  const { catalog, requests, nudges, clock, logger, execute } = server
  const run = await runSchedule(
    {
      ...server,
      isRunning: async scope => {
        if (scope === '*') return false
        if (((await catalog.getStack(scope))?.current ?? '') !== '') return true
        return (await requests.listWaiting(scope, 1)).length > 0
      },
      send: async ({ scope, name }, schedule, due) => {
        if (!(await hasStack(server, scope))) {
          logger.write('warn', 'schedule.stackless', { stack: scope, schedule: name })
          return
        }
        const stack = scope as StackId
        const asking = { at: clock.now(), execute }
        await requests.put(createScheduleRequest({ stack, name, schedule, due }, asking))
        await nudges.nudge(stack, 0)
      },
    },
    key,
  )
  const { scope: stack, name: schedule } = key
  if (run.kind !== 'wait') logger.write('info', 'schedule.seen', { stack, schedule, ...run })
  return run.kind
}

async function hasStack(
  { catalog }: Pick<ScheduleServer, 'catalog'>,
  scope: DocumentKey['scope'],
): Promise<boolean> {
  return scope !== '*' && (await catalog.getStack(scope)) !== undefined
}
