import type { InvokeCommand } from '@aws-sdk/client-lambda'
import { PassThrough } from 'node:stream'
import type { Hono } from 'hono'
import type { LambdaInvoker } from '../../shared/platform/aws/lambda-client.ts'
import { answerEvent } from './function-url.ts'

/**
 * Returns a model of the Lambda client that calls a function whose handler serves `app`. As with
 * Lambda, the payload of a streamed response is its head, eight zero bytes, and its body.
 */
export function createUrlInvoker(app: Pick<Hono, 'fetch'>): LambdaInvoker {
  const send = async ({ input }: InvokeCommand): Promise<object> => {
    const stream = new PassThrough()
    const bytes = stream.toArray().then(parts => Buffer.concat(parts as Buffer[]))
    const event: unknown = JSON.parse(Buffer.from((input.Payload ?? []) as Uint8Array).toString())
    await answerEvent(app, event, head => {
      stream.write(JSON.stringify(head))
      stream.write(Buffer.alloc(8))
      return stream
    })
    return { Payload: await bytes }
  }
  return { send }
}
