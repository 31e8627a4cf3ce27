import { expect, test } from 'vitest'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { noTelemetry } from '../../shared/ports/telemetry.ts'
import type { FunctionResources } from '../aws/function-resources.ts'
import { createStackBinding } from '../aws/stack-binding.ts'
import { serveNudges } from './serve-nudges.ts'

const context = { getRemainingTimeInMillis: () => 600_000 }
const message = {
  ...{ messageId: 'm1', receiptHandle: 'r1', body: '' },
  attributes: { ApproximateReceiveCount: '1' },
}

/** Serves a nudge of a stack. Calls `run` when the stack is read. */
async function serveOneNudge(run: (recordUnreviewedRun: () => void) => void) {
  const effects: string[] = []
  const binding = createStackBinding(() => effects.push('end of the environment'))
  const platform = {
    logger: silentLogger,
    telemetry: { ...noTelemetry, flush: async () => void effects.push('flush') },
    nudges: {
      fromEvent: async () => ({ stack: 'organization/p/dev' }),
      remove: async ({ handle }: { handle: string }) => effects.push(`removal of ${handle}`),
    },
    catalog: {
      getStack: async () => {
        run(binding.recordUnreviewedRun)
        return undefined
      },
    },
    clock: { monotonicMs: () => 0 },
  }
  const resources = {
    ...{ ...binding, platform, awsResources: { pool: 'short' } },
    usage: { measure: (work: () => Promise<unknown>) => work() },
    createGeneratorDeps: () => ({ platform, requests: { listWaiting: async () => [] } }),
  } as unknown as FunctionResources
  const { batchItemFailures } = await serveNudges(resources, { Records: [message] }, context)
  return { effects, failedMessages: batchItemFailures.length }
}

test('an environment that ran an unreviewed program removes the nudge, and ends', async () => {
  expect(await serveOneNudge(recordUnreviewedRun => recordUnreviewedRun())).toEqual({
    effects: ['removal of r1', 'flush', 'end of the environment'],
    failedMessages: 0,
  })
})

test('an environment that ran an unreviewed program also ends if the nudge fails', async () => {
  const served = await serveOneNudge(recordUnreviewedRun => {
    recordUnreviewedRun()
    throw new Error('the store does not respond')
  })
  expect(served).toEqual({ effects: ['flush', 'end of the environment'], failedMessages: 1 })
})

test('an environment that ran only reviewed programs does not end', async () => {
  expect(await serveOneNudge(() => undefined)).toEqual({ effects: ['flush'], failedMessages: 0 })
})
