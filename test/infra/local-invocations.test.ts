import { afterEach, expect, test } from 'vitest'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { InvocationOutcome } from '../../infra/local-cloud/environment.ts'
import type { HttpListener } from '../../infra/local-cloud/http-listener.ts'
import { startInvokeApi } from '../../infra/local-cloud/invoke-api.ts'

let front: HttpListener | undefined
let client: LambdaClient | undefined
afterEach(async () => {
  client?.destroy()
  await front?.close()
})

/** Invokes a function with the SDK. `outcome` is the result of the call. */
async function invokeFunction(FunctionName: string, outcome: InvocationOutcome) {
  const calls: unknown[] = []
  const deps = { settings: { installation: 'shop' }, reporter: { onCloudFailure: () => undefined } }
  front = await startInvokeApi(deps, async (...call) => {
    calls.push(call)
    return outcome
  })
  client = new LambdaClient({
    region: 'eu-central-1',
    endpoint: front.url,
    maxAttempts: 1,
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
  })
  const Payload = Buffer.from('{"kind":"compact","text":"ü"}')
  const answer = await client.send(new InvokeCommand({ FunctionName, Payload }))
  return {
    calls,
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

test.each(['failed', 'died'] as const)(
  'a function that %s is reported as by Lambda',
  async kind => {
    const { error, text } = await invokeFunction(arn, { kind, reason: 'it has no time' })
    expect([error, JSON.parse(text)]).toEqual(['Unhandled', { errorMessage: 'it has no time' }])
  },
)

test('a function of another installation does not exist', async () => {
  const answered = { kind: 'answered', json: '{}' } as const
  await expect(invokeFunction(arn.replace('shop', 'other'), answered)).rejects.toMatchObject({
    $metadata: { httpStatusCode: 404 },
  })
})
