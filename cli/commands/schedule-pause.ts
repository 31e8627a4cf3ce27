import { z } from 'zod'
import type { Handler } from '../attach.ts'
import { triggerPath } from '../trigger-path.ts'

const viewForm = z.object({
  value: z.looseObject({
    isPaused: z.boolean(),
    createdAt: z.number().optional(),
    lastAt: z.number().optional(),
  }),
})

/**
 * `schedule pause` and `schedule resume`: all else of the schedule stays as it is. What it misses
 * while it is paused is not made up for.
 */
export function schedulePause(isPaused: boolean): Handler {
  return async (session, flags, [name = '']) => {
    const path = `${await triggerPath(session, flags, 'schedule')}/${encodeURIComponent(name)}`
    const { api } = await session.local()
    const { value } = viewForm.parse(await api({ method: 'GET', path }))
    const { createdAt: _made, lastAt: _ran, ...schedule } = value
    if (schedule.isPaused === isPaused) {
      session.warn(`The schedule '${name}' ${isPaused ? 'is paused already' : 'is not paused'}.`)
      return 0
    }
    await api({ method: 'PUT', path, body: { ...schedule, isPaused } })
    session.warn(`The schedule '${name}' ${isPaused ? 'is paused' : 'goes on'}.`)
    return 0
  }
}
