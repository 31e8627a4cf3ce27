import { expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import { createNudges } from '../../shared/platform/aws/queues/nudges.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import type { FunctionResources } from '../aws/function-resources.ts'
import { serveNextNudge } from './serve-next-nudge.ts'

const shutdown = new AbortController().signal
const protectWhile = <T>(work: () => Promise<T>): Promise<T> => work()

/** Serves one delivered nudge. Returns the failure, the body of the nudge, and the sends. */
async function serveDelivery(deliveries: number, storeFails: boolean) {
  const calls: { readonly name: string; readonly input: object }[] = []
  const body = JSON.stringify({ v: 1, stack: 'organization/p/dev', expired: true })
  const sqs = {
    send: async (command: { readonly input: object }) => {
      calls.push({ name: command.constructor.name, input: command.input })
      const Attributes = { ApproximateReceiveCount: String(deliveries) }
      return { Messages: [{ MessageId: 'm', ReceiptHandle: 'h', Body: body, Attributes }] }
    },
  }
  const clock = { now: () => 0, monotonicMs: () => 0 }
  const deps = { sqs, clock, logger: silentLogger, url: 'nudges-long' } as never
  const getStack = async () => {
    if (storeFails) throw new Error('the store does not respond')
    return undefined
  }
  const platform = {
    logger: silentLogger,
    nudges: createNudges(deps),
    catalog: { getStack },
    clock,
  }
  const resources = {
    platform,
    usage: { measure: (work: () => Promise<unknown>) => work() },
    createGeneratorDeps: () => ({ platform, requests: { listWaiting: async () => [] } }),
  } as unknown as FunctionResources
  const round = serveNextNudge(resources, { shutdown, protectWhile })
  const failure = await round.then(
    () => 'none',
    (thrown: Error) => thrown.message,
  )
  return { failure, body, sends: calls.filter(({ name }) => name === 'SendMessageCommand') }
}

test('a task of the long pool sends a nudge again that failed, and counts the delivery', async () => {
  const { failure, body, sends } = await serveDelivery(1, true)
  expect(failure).toBe('the store does not respond')
  expect(sends).toHaveLength(1)
  expect(sends[0]?.input).toMatchObject({
    MessageBody: body,
    DelaySeconds: limits.visibilityMs / 1_000,
    MessageAttributes: { deliveries: { StringValue: '1' } },
  })
})

test('a task of the long pool does not send a nudge again that it served', async () => {
  expect(await serveDelivery(1, false)).toMatchObject({ failure: 'none', sends: [] })
})

test('a task of the long pool drops a nudge after its last delivery', async () => {
  expect(await serveDelivery(limits.deliveriesMax, true)).toMatchObject({
    failure: 'the store does not respond',
    sends: [],
  })
})
