import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'
import { type IsolatedProcess, startIsolatedProcess } from './isolated-process.ts'
import type { LocalQueue } from './services.ts'

/** The options of one queue's tasks in the long pool. */
export interface TasksOptions {
  readonly sqs: SQSClient
  readonly queue: LocalQueue
  /** The folder of the bundle, with `long.mjs`. */
  readonly code: string
  /** The parent folder of tasks. */
  readonly folders: string
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  readonly supervisor: Pick<Supervisor, 'add' | 'remove'>
  readonly onLine: (pid: number, line: string) => void
  readonly onFailure: (why: string) => void
}

/** The tasks of one queue. */
export interface LongPoolTasks {
  /** Returns the pids of running tasks. */
  readonly running: () => readonly number[]
  /** Kills running tasks and starts no more. */
  readonly end: () => Promise<void>
}

/**
 * Runs one task for a queue while it has messages, as the service of the infrastructure does. The
 * task is started when a message waits, and told to shut down when its queue was empty for a while.
 * A working task ends after its work.
 */
export function startLongPoolTasks(options: TasksOptions): LongPoolTasks {
  const { sqs, queue, onFailure } = options
  let task: IsolatedProcess | undefined
  let busyMs = 0
  let isLooking = false
  const adjust = async (): Promise<void> => {
    const { waiting, taken } = await readDepth(sqs, queue.url)
    if (waiting + taken > 0) busyMs = performance.now()
    if (waiting > 0 && task === undefined) {
      const started = startTask(options)
      task = started
      void started.gone.then(() => {
        task = undefined
      })
    } else if (performance.now() - busyMs > cloudLimits.taskIdleMs) task?.signal('SIGTERM')
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    adjust()
      .catch((thrown: unknown) => onFailure(String(thrown)))
      .finally(() => {
        isLooking = false
      })
  }, cloudLimits.lookMs)
  return {
    running: () => (task === undefined ? [] : [task.pid]),
    async end() {
      clearInterval(timer)
      task?.signal('SIGKILL')
      await task?.gone
    },
  }
}

function startTask({
  code,
  folders,
  name,
  variables,
  supervisor,
  onLine,
}: TasksOptions): IsolatedProcess {
  let pid = 0
  const started = startIsolatedProcess({
    script: join(code, 'long.mjs'),
    cwd: code,
    folder: join(folders, `${name}-${randomUUID().slice(0, 8)}`),
    variables: { LANG: 'C.UTF-8', TZ: ':UTC', ...variables },
    supervisor,
    onLine: line => onLine(pid, line),
  })
  pid = started.pid
  return started
}

async function readDepth(
  sqs: SQSClient,
  QueueUrl: string,
): Promise<{ readonly waiting: number; readonly taken: number }> {
  const [waiting, taken] = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
  ] as const
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [waiting, taken] })
  const { Attributes = {} } = await sqs.send(command)
  return { waiting: Number(Attributes[waiting] ?? 0), taken: Number(Attributes[taken] ?? 0) }
}
