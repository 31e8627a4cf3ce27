import type { LoggerPort } from '../../shared/ports/system.ts'
import { messageOf } from '../../shared/errors/error.ts'

/** Keeps a task of the long pool from being ended while it works. */
export interface TaskProtection {
  readonly set: (isProtected: boolean) => Promise<void>
}

/** The longest that ECS protects a task for; asked anew with each piece of work. */
const expiresInMinutes = 2_880
const answerMs = 5_000

/**
 * Protection by the agent of ECS, which says where it is in ECS_AGENT_URI; none elsewhere. A task
 * that could not be protected may be ended at its work: its deployment goes on by itself then.
 */
export function createTaskProtection(
  env: Readonly<Record<string, string | undefined>>,
  logger: LoggerPort,
): TaskProtection {
  const agent = env['ECS_AGENT_URI'] ?? ''
  if (agent === '') return { set: async () => undefined }
  const url = `${agent}/task-protection/v1/state`
  return {
    async set(isProtected) {
      const body = isProtected
        ? { ProtectionEnabled: true, ExpiresInMinutes: expiresInMinutes }
        : { ProtectionEnabled: false }
      try {
        const answer = await fetch(url, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(answerMs),
        })
        if (!answer.ok) throw new Error(`the agent of ECS answers ${answer.status}`)
      } catch (thrown) {
        logger.write('warn', 'task.unprotected', { isProtected, message: messageOf(thrown) })
      }
    },
  }
}
