import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { LongQueueName } from '../../shared/config/aws-resource-names.ts'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import type { LongPoolServices } from '../../shared/platform/aws/long-pool-services.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'
import {
  type IsolatedProcess,
  type ProcessSandboxOptions,
  startIsolatedProcess,
} from './isolated-process.ts'

/** The options of one queue's tasks in the long pool. */
export interface LongPoolTasksOptions {
  readonly services: Pick<LongPoolServices, 'readTasks'>
  readonly queue: LongQueueName
  /** The folder of the bundle, with `long.mjs`. */
  readonly bundleFolder: string
  /** The parent folder of tasks. */
  readonly parentFolder: string
  /** The prefix of the names of the tasks' folders. */
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  readonly supervisor: Pick<Supervisor, 'add' | 'remove'>
  /** The sandbox of tasks. Absent: tasks are plain processes. */
  readonly sandbox?: ProcessSandboxOptions
  readonly onLine: (pid: number, line: string) => void
  readonly onFailure: (reason: string) => void
}

/** The tasks of one queue. */
export interface LongPoolTasks {
  /** Lists the pids of running tasks. */
  readonly listPids: () => readonly number[]
  /**
   * Replaces the code of the next tasks. A running task gets SIGTERM, and ends after its message.
   */
  readonly replaceCode: (bundleFolder: string) => void
  /** Kills the running task, and starts no other one. */
  readonly end: () => Promise<void>
}

/**
 * Runs at most one task for a queue, in place of the ECS service of the CDK app. The task is
 * started when the scaler has set a number above 0, and gets SIGTERM when the number is 0. A task
 * that has received a message meanwhile ends after that message.
 */
export function startLongPoolTasks(options: LongPoolTasksOptions): LongPoolTasks {
  const { services, queue, onFailure } = options
  let { bundleFolder } = options
  let task: IsolatedProcess | undefined
  let stoppedTask: IsolatedProcess | undefined
  // A second signal would kill the task during its work.
  const stopTask = (): void => {
    if (task !== stoppedTask) task?.signal('SIGTERM')
    stoppedTask = task
  }
  let isAdjusting = false
  let hasEnded = false
  const adjustTasks = async (): Promise<void> => {
    const { desired } = await services.readTasks(queue)
    if (hasEnded) return
    if (desired > 0 && task === undefined) {
      const newTask = startTask({ ...options, bundleFolder })
      task = newTask
      void newTask.endReason.then(() => {
        task = undefined
      })
    } else if (desired === 0) stopTask()
  }
  const timer = setInterval(() => {
    if (isAdjusting) return
    isAdjusting = true
    adjustTasks()
      .catch((thrown: unknown) => {
        if (!hasEnded) onFailure(String(thrown))
      })
      .finally(() => {
        isAdjusting = false
      })
  }, localCloudLimits.idleCheckMs)
  return {
    listPids: () => (task === undefined ? [] : [task.pid]),
    replaceCode: newBundleFolder => {
      bundleFolder = newBundleFolder
      stopTask()
    },
    async end() {
      hasEnded = true
      clearInterval(timer)
      task?.signal('SIGKILL')
      await task?.endReason
    },
  }
}

function startTask({
  bundleFolder,
  parentFolder,
  name,
  variables,
  supervisor,
  sandbox,
  onLine,
}: LongPoolTasksOptions): IsolatedProcess {
  let pid = 0
  const newTask = startIsolatedProcess({
    script: join(bundleFolder, 'long.mjs'),
    bundleFolder,
    ...(sandbox === undefined ? {} : { sandbox }),
    folder: join(parentFolder, `${name}-${randomUUID().slice(0, 8)}`),
    variables: { LANG: 'C.UTF-8', TZ: ':UTC', ...variables },
    supervisor,
    onLine: line => onLine(pid, line),
  })
  pid = newTask.pid
  return newTask
}
