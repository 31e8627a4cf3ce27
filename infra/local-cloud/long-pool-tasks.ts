import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'
import {
  type IsolatedProcess,
  type ProcessSandboxOptions,
  startIsolatedProcess,
} from './isolated-process.ts'
import type { LocalQueue } from './services.ts'

/** The options of one queue's tasks in the long pool. */
export interface LongPoolTasksOptions {
  readonly sqs: SQSClient
  readonly queue: LocalQueue
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
 * started when a message waits, and gets SIGTERM when its queue has been empty for `taskIdleMs`. A
 * task that has received a message meanwhile ends after that message.
 */
export function startLongPoolTasks(options: LongPoolTasksOptions): LongPoolTasks {
  const { sqs, queue, onFailure } = options
  let { bundleFolder } = options
  let task: IsolatedProcess | undefined
  let lastBusyMs = 0
  let isAdjusting = false
  let hasEnded = false
  const adjustTasks = async (): Promise<void> => {
    const { visibleMessages, messagesInFlight } = await readDepth(sqs, queue.url)
    if (visibleMessages + messagesInFlight > 0) lastBusyMs = performance.now()
    if (hasEnded) return
    if (visibleMessages > 0 && task === undefined) {
      const newTask = startTask({ ...options, bundleFolder })
      task = newTask
      void newTask.endReason.then(() => {
        task = undefined
      })
    } else if (performance.now() - lastBusyMs > localCloudLimits.taskIdleMs) task?.signal('SIGTERM')
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
      task?.signal('SIGTERM')
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

async function readDepth(
  sqs: SQSClient,
  QueueUrl: string,
): Promise<{ readonly visibleMessages: number; readonly messagesInFlight: number }> {
  const [visibleAttribute, inFlightAttribute] = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
  ] as const
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: [visibleAttribute, inFlightAttribute],
  })
  const { Attributes = {} } = await sqs.send(command)
  return {
    visibleMessages: Number(Attributes[visibleAttribute] ?? 0),
    messagesInFlight: Number(Attributes[inFlightAttribute] ?? 0),
  }
}
