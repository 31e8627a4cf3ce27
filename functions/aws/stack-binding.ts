import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
import type { StackId } from '../../shared/records/ids.ts'

/**
 * The restriction of a function environment to one stack. A program can leave processes and files
 * behind, and plugins hold credentials. No other stack may have access to these leftovers.
 */
export interface StackBinding {
  /**
   * Reports whether the environment may serve a stack. The first call binds the environment to its
   * stack.
   */
  readonly mayServe: (stack: StackId) => boolean
  /** Records that the program of an unreviewed preview begins to run in the environment. */
  readonly recordUnreviewedRun: () => void
  /**
   * Reports whether an unreviewed program has run here. It may have changed this process, so no
   * deployment of its stack may run in it.
   */
  readonly hasRunUnreviewed: () => boolean
  /** Ends this process immediately, so that the next call gets a new process. */
  readonly endEnvironment: () => void
}

/** The reaction of an environment to a message for another stack. */
export interface Refusal {
  /** The number of refusals with which the message is sent again. */
  readonly refusals: number
  /** Whether the environment then ends. The next environment may serve any stack. */
  readonly mustEnd: boolean
}

/**
 * Decides how an environment refuses a message that `refusals` other environments have refused.
 * Environments of two busy stacks receive messages of both. If each foreign message ended an
 * environment, most of the time would be spent on starts of environments and plugins. A message
 * that is sent again mostly reaches an environment of its own stack. Pure.
 */
export function decideRefusal(refusals: number): Refusal {
  const mustEnd = refusals + 1 >= awsLimits.messageRefusalsMax
  return { refusals: mustEnd ? 0 : refusals + 1, mustEnd }
}

/**
 * Sends messages for other stacks again. Returns whether the environment must end after that.
 * Throws the errors of `requeue`; the remaining messages must then be delivered again.
 */
export async function refuseMessages(
  messages: readonly RawMessage[],
  requeue: (message: RawMessage) => Promise<void>,
): Promise<boolean> {
  let mustEndEnvironment = false
  for (const message of messages) {
    const { refusals, mustEnd } = decideRefusal(message.refusals)
    await requeue({ ...message, refusals })
    mustEndEnvironment ||= mustEnd
  }
  return mustEndEnvironment
}

/** Binds this process to the first stack that it serves. Tests replace `exit`. */
export function createStackBinding(
  exit: (status: number) => void = status => process.exit(status),
): StackBinding {
  let boundStack: StackId | undefined
  let hasRunUnreviewed = false
  return {
    mayServe(stack) {
      boundStack ??= stack
      return boundStack === stack
    },
    recordUnreviewedRun() {
      hasRunUnreviewed = true
    },
    hasRunUnreviewed: () => hasRunUnreviewed,
    endEnvironment: () => exit(0),
  }
}

/**
 * Empties the temporary folder, the only one to which a function can write. Lambda keeps the files
 * there when the process of an environment ends. Does nothing outside of Lambda.
 */
export function clearScratch(env: Readonly<Record<string, string | undefined>>): void {
  if (env['AWS_LAMBDA_RUNTIME_API'] === undefined) return
  const folder = tmpdir()
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
