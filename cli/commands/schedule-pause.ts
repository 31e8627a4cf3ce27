import * as z from 'zod'
import type { Handler } from '../arguments/handler.ts'
import { settingsOfSchedule } from '../remote/schedule-settings.ts'
import { resolveTriggerPath } from '../remote/trigger-path.ts'

const scheduleForm = z.object({ value: z.looseObject({ isPaused: z.boolean() }) })

/**
 * Creates the handler of `schedule pause` or, with `isPaused` false, of `schedule resume`. Both
 * keep the other settings. Runs that were missed during a pause do not take place later.
 */
export function createPauseHandler(isPaused: boolean): Handler {
  return async (session, flags, [name = '']) => {
    const path = `${await resolveTriggerPath(session, flags, 'schedule')}/${encodeURIComponent(name)}`
    const { callApi } = await session.openEngine()
    const { value } = scheduleForm.parse(await callApi({ method: 'GET', path }))
    if (value.isPaused === isPaused) {
      session.printToStderr(
        `Schedule '${name}' ${isPaused ? 'is already paused' : 'is not paused'}.`,
      )
      return 0
    }
    await callApi({ method: 'PUT', path, body: { ...settingsOfSchedule(value), isPaused } })
    session.printToStderr(`${isPaused ? 'Paused' : 'Resumed'} schedule '${name}'.`)
    return 0
  }
}
