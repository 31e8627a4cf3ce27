import * as z from 'zod'
import { awsLimits } from '../../config/aws-limits.ts'
import type { LongQueueName } from '../../config/aws-resource-names.ts'
import { messageOf } from '../../errors/error.ts'
import type { ClockPort, LoggerPort } from '../../ports/system.ts'
import type { AwsResources } from './aws-resources.ts'
import type { AwsSettings } from './clients.ts'
import { createLambdaStarter, type LambdaInvoker, startLambda } from './lambda-client.ts'

const queueForm = z.enum(['chains-long', 'nudges-long'] satisfies readonly LongQueueName[])

/**
 * The form of a call of the scaler. `sent`: `messages` were sent to a queue. `idle`: a task of the
 * queue had no work for `longPoolIdleMs`. `check`: messages may wait although no process said so.
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
 * Creates the caller of the scaler. After a call for sent messages, it omits further such calls for
 * the same queue for `scalerPauseMs`. A failed call is written to the log.
 */
export function createScalerCaller(deps: {
  readonly lambda: LambdaInvoker
  readonly functionArn: string
  readonly clock: Pick<ClockPort, 'monotonicMs'>
  readonly logger: LoggerPort
}): CallScaler {
  const { lambda, functionArn, clock, logger } = deps
  const lastSentMs = new Map<LongQueueName, number>()
  return async call => {
    const nowMs = clock.monotonicMs()
    const lastMs = call.kind === 'sent' ? lastSentMs.get(call.queue) : undefined
    if (lastMs !== undefined && nowMs - lastMs < awsLimits.scalerPauseMs) return
    try {
      await startLambda(lambda, { functionArn, payload: call })
      if (call.kind === 'sent') lastSentMs.set(call.queue, nowMs)
    } catch (thrown) {
      logger.write('warn', 'scaler.uncalled', { kind: call.kind, message: messageOf(thrown) })
    }
  }
}

/** Opens the caller of the scaler that the variable `scalerFunction` names. */
export function openScalerCaller(
  settings: AwsSettings,
  resources: Pick<AwsResources, 'get'>,
  deps: Pick<Parameters<typeof createScalerCaller>[0], 'clock' | 'logger'>,
): CallScaler {
  const functionArn = resources.get('scalerFunction')
  return createScalerCaller({ ...deps, functionArn, lambda: createLambdaStarter(settings) })
}
