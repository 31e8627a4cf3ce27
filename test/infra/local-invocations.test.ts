import { afterEach, expect, test } from 'vitest'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { InvocationOutcome } from '../../infra/local-cloud/environment.ts'
import type { HttpListener } from '../../infra/local-cloud/http-listener.ts'
import { startInvokeApi } from '../../infra/local-cloud/invoke-api.ts'

let listener: HttpListener | undefined
let client: LambdaClient | undefined
afterEach(async () => {
  client?.destroy()
  await listener?.close()
})

interface CallOptions {
  readonly event?: string
  readonly InvocationType?: 'Event'
  readonly TenantId?: string
  /** The stream of a function that streams its response. */
  readonly streamed?: string
}

/** Invokes a function with the SDK. `outcome` is the result of the call. */
async function invokeFunction(
  FunctionName: string,
  outcome: InvocationOutcome,
  { event = '{"kind":"compact","text":"ü"}', InvocationType, TenantId, streamed }: CallOptions = {},
) {
  const calls: unknown[] = []
  const tenants: (string | undefined)[] = []
  const deps = { settings: { installation: 'shop' }, reporter: { onCloudFailure: () => undefined } }
  listener = await startInvokeApi(deps, async (name, receivedEvent, call) => {
    calls.push([name, receivedEvent])
    tenants.push(call?.tenant)
    if (streamed !== undefined)
      call?.onStreamedAnswer?.({
        type: 'text/plain',
        abandon: () => undefined,
        body: (async function* () {
          for (const letter of streamed) yield Buffer.from(letter)
        })(),
      })
    return outcome
  })
  client = new LambdaClient({
    region: 'eu-central-1',
    endpoint: listener.url,
    maxAttempts: 1,
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
  })
  const Payload = Buffer.from(event)
  const command = new InvokeCommand({ FunctionName, Payload, InvocationType, TenantId })
  const answer = await client.send(command)
  return {
    calls,
    tenants,
    status: answer.StatusCode,
    error: answer.FunctionError,
    text: Buffer.from(answer.Payload ?? []).toString(),
  }
}

const arn = 'arn:aws:lambda:eu-central-1:000000000000:function:shop-compaction'

test.each([arn, 'shop-compaction'])('%s is invoked and responds', async name => {
  const { calls, error, text } = await invokeFunction(name, {
    kind: 'answered',
    json: '{"version":3}',
  })
  expect(calls).toEqual([['compaction', { kind: 'compact', text: 'ü' }]])
  expect([error, text]).toEqual([undefined, '{"version":3}'])
})

test('the response of a function that streams is its whole stream', async () => {
  const streamed = '{"statusCode":200}\0\0\0\0\0\0\0\0text'
  const { error, text } = await invokeFunction(
    arn,
    { kind: 'answered', json: 'null' },
    { streamed },
  )
  expect([error, text]).toEqual([undefined, streamed])
})

test.each(['failed', 'died'] as const)(
  'a function that %s has the error response of Lambda',
  async kind => {
    const { error, text } = await invokeFunction(arn, { kind, reason: 'it has no time' })
    expect([error, JSON.parse(text)]).toEqual(['Unhandled', { errorMessage: 'it has no time' }])
  },
)

test('an asynchronous call is accepted before its result, up to the size that Lambda allows', async () => {
  const answered = { kind: 'answered', json: '{}' } as const
  const asynchronous = { InvocationType: 'Event' } as const
  const largeEvent = JSON.stringify({ text: 'x'.repeat(1_000 * 1024) })
  const largeCall = { ...asynchronous, event: largeEvent }
  const { calls, status, text } = await invokeFunction(arn, answered, largeCall)
  expect([status, text, calls.length]).toEqual([202, '', 1])
  const event = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
  await listener?.close()
  await expect(invokeFunction(arn, answered, { ...asynchronous, event })).rejects.toMatchObject({
    $metadata: { httpStatusCode: 413 },
  })
})

test('a call passes its tenant to the function', async () => {
  const answered = { kind: 'answered', json: '{}' } as const
  const { tenants } = await invokeFunction('shop-installer', answered, { TenantId: 'tenant-7' })
  expect(tenants).toEqual(['tenant-7'])
})

test('a function of another installation does not exist', async () => {
  const answered = { kind: 'answered', json: '{}' } as const
  await expect(invokeFunction(arn.replace('shop', 'other'), answered)).rejects.toMatchObject({
    $metadata: { httpStatusCode: 404 },
  })
})
