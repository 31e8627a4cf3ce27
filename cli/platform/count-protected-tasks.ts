import { type ECSClient, GetTaskProtectionCommand, ListTasksCommand } from '@aws-sdk/client-ecs'
import { sendOrUndefined } from './send-or-undefined.ts'

/** A client of ECS, or its replacement in a test. */
export type EcsSender = Pick<ECSClient, 'send'>

/**
 * Returns the number of busy tasks in the long pool of a group, at most 100. A task protects itself
 * from scale-in while it works, and CloudFormation waits for protected tasks of the old code.
 * `cluster`: the installation, or a result of `groupInstallationOf`. Returns 0 if there is no
 * cluster. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function countProtectedTasks(client: EcsSender, cluster: string): Promise<number> {
  // A page has up to 100 tasks, which is also the maximum of a request for their protection.
  const list = await sendOrUndefined(() => client.send(new ListTasksCommand({ cluster })))
  const tasks = list?.taskArns ?? []
  if (tasks.length === 0) return 0
  const command = new GetTaskProtectionCommand({ cluster, tasks })
  const protections = await sendOrUndefined(() => client.send(command))
  return (protections?.protectedTasks ?? []).filter(task => task.protectionEnabled === true).length
}
