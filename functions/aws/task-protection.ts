import type { LoggerPort } from '../../shared/ports/system.ts'
import { messageOf } from '../../shared/errors/error.ts'

/** Protects a task of the long pool from scale-in while it works. */
export interface TaskProtection {
  readonly set: (isProtected: boolean) => Promise<void>
}

/** Maximum duration of a protection by ECS. It is requested again for each piece of work. */
const expiresInMinutes = 2_880
const agentTimeoutMs = 5_000

/**
 * Creates the protection by the ECS agent at ECS_AGENT_URI, or an empty one without it. A task
 * without protection may be stopped during its work; its deployment then continues by itself.
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
          signal: AbortSignal.timeout(agentTimeoutMs),
        })
        if (!answer.ok) throw new Error(`the ECS agent responded with status ${answer.status}`)
      } catch (thrown) {
        logger.write('warn', 'task.unprotected', { isProtected, message: messageOf(thrown) })
      }
    },
  }
}
