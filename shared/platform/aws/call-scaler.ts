import * as z from 'zod'
import { awsLimits } from '../../config/aws-limits.ts'
import { type LongQueueName, longQueueNames } from '../../config/aws-resource-names.ts'
import { messageOf } from '../../errors/error.ts'
import type { ClockPort, LoggerPort } from '../../ports/system.ts'
import type { AwsResources } from './aws-resources.ts'
import type { AwsSettings } from './clients.ts'
import { createLambdaStarter, type LambdaInvoker, startLambda } from './lambda-client.ts'

const queueForm = z.enum(longQueueNames)

/**
 * The form of a call of the scaler. `sent`: `messages` were sent to a queue. `idle`: a task of the
 * queue had no work for `longPoolIdleMs`. `check`: messages may wait because their call failed.
 */
export const scalerCallForm = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sent'), queue: queueForm, messages: z.int().positive() }),
  z.object({ kind: z.literal('idle'), queue: queueForm }),
  z.object({ kind: z.literal('check') }),
])

/** A call of the scaler. */
export type ScalerCall = z.infer<typeof scalerCallForm>

/**
 * Calls the scaler without waiting for its result. Never rejects: the scaler is also called every
 * hour, so a failed call delays work and loses none.
 */
export type CallScaler = (call: ScalerCall) => Promise<void>

/**
 * Creates the caller of the scaler. After a call for sent messages, `scalerPauseMs` pass until the
 * next such call for the same queue. That call covers all messages of the pause, and no sender
 * waits for it. Without it, a message of the pause might find no task, because the scaler may have
 * removed idle tasks since the first call. Lambda freezes a process between its calls, so the
 * second call may be late. A failed call is written to the log, and the next sent message causes
 * another one.
 */
export function createScalerCaller(deps: {
  readonly lambda: LambdaInvoker
  readonly functionArn: string
  readonly clock: Pick<ClockPort, 'sleep'>
  readonly logger: LoggerPort
}): CallScaler {
  const { lambda, functionArn, clock, logger } = deps
  /** For each queue in its pause: the number of messages that no call has reported. */
  const unreportedMessages = new Map<LongQueueName, number>()
  const startCall = async (call: ScalerCall): Promise<boolean> => {
    try {
      await startLambda(lambda, { functionArn, payload: call })
      return true
    } catch (thrown) {
      logger.write('warn', 'scaler.uncalled', { kind: call.kind, message: messageOf(thrown) })
      return false
    }
  }
  const endPause = async (queue: LongQueueName): Promise<void> => {
    await clock.sleep(awsLimits.scalerPauseMs)
    const messages = unreportedMessages.get(queue) ?? 0
    unreportedMessages.delete(queue)
    if (messages > 0) await callForSent({ kind: 'sent', queue, messages })
  }
  const callForSent = async (call: SentCall): Promise<void> => {
    const { queue, messages } = call
    const unreported = unreportedMessages.get(queue)
    unreportedMessages.set(queue, unreported === undefined ? 0 : unreported + messages)
    const isPaused = unreported !== undefined
    if (isPaused) return
    if (await startCall(call)) void endPause(queue)
    else unreportedMessages.delete(queue)
  }
  return async call => {
    if (call.kind === 'sent') await callForSent(call)
    else await startCall(call)
  }
}

type SentCall = Extract<ScalerCall, { readonly kind: 'sent' }>

/** Opens the caller of the scaler that the variable `scalerFunction` names. */
export function openScalerCaller(
  settings: AwsSettings,
  resources: Pick<AwsResources, 'get'>,
  deps: Pick<Parameters<typeof createScalerCaller>[0], 'clock' | 'logger'>,
): CallScaler {
  const functionArn = resources.get('scalerFunction')
  return createScalerCaller({ ...deps, functionArn, lambda: createLambdaStarter(settings) })
}
