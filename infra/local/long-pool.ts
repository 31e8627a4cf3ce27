import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { Supervisor } from '../../shared/platform/system/supervisor.ts'
import { type OwnProcess, startOwnProcess } from './own-process.ts'
import type { LocalQueue } from './services.ts'

/** What the tasks of one queue of the long pool are made of. */
export interface TasksAbout {
  readonly sqs: SQSClient
  readonly queue: LocalQueue
  /** The folder of the bundle, with `long.mjs`. */
  readonly code: string
  /** The folder that tasks have theirs in. */
  readonly folders: string
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  readonly supervisor: Pick<Supervisor, 'add' | 'drop'>
  readonly said: (pid: number, line: string) => void
  readonly failed: (why: string) => void
}

/** The tasks of one queue. */
export interface Tasks {
  /** Pids of those that run. */
  readonly running: () => readonly number[]
  /** Kills what runs, and starts nothing more. */
  readonly end: () => Promise<void>
}

/**
 * Keeps one task for a queue while it has messages, as the service of the infrastructure does: it
 * is started when something waits, and told to end once its queue was empty for a while; one that
 * works ends when it is done.
 */
export function startTasks(about: TasksAbout): Tasks {
  const { sqs, queue, failed } = about
  let task: OwnProcess | undefined
  let busyMs = 0
  let isLooking = false
  const look = async (): Promise<void> => {
    const { waiting, taken } = await depthOf(sqs, queue.url)
    if (waiting + taken > 0) busyMs = performance.now()
    if (waiting > 0 && task === undefined) {
      const started = start(about)
      task = started
      void started.gone.then(() => {
        task = undefined
      })
    } else if (performance.now() - busyMs > cloudLimits.taskIdleMs) task?.signal('SIGTERM')
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch((thrown: unknown) => failed(String(thrown)))
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

function start({ code, folders, name, variables, supervisor, said }: TasksAbout): OwnProcess {
  let pid = 0
  const started = startOwnProcess({
    script: join(code, 'long.mjs'),
    cwd: code,
    folder: join(folders, `${name}-${randomUUID().slice(0, 8)}`),
    variables: { LANG: 'C.UTF-8', TZ: ':UTC', ...variables },
    supervisor,
    said: line => said(pid, line),
  })
  pid = started.pid
  return started
}

async function depthOf(
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
