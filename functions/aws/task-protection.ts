import type { LoggerPort } from '../../shared/ports/system.ts'
import { messageOf } from '../../shared/errors/error.ts'

/** The protection of a long-pool task from scale-in while the task works. */
export interface TaskProtection {
  readonly set: (isProtected: boolean) => Promise<void>
}

/** Duration of a protection: the maximum of ECS. Each delivery requests a new protection. */
const expiresInMinutes = 2_880
const agentTimeoutMs = 5_000

/**
 * Creates the protection through the ECS agent at ECS_AGENT_URI. Without this variable, `set` does
 * nothing. `set` logs an error and never throws. ECS can stop an unprotected task during its work,
 * and another process then continues the deployment.
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
        const response = await fetch(url, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(agentTimeoutMs),
        })
        if (!response.ok) throw new Error(`the ECS agent responded with status ${response.status}`)
      } catch (thrown) {
        logger.write('warn', 'task.unprotected', { isProtected, message: messageOf(thrown) })
      }
    },
  }
}
