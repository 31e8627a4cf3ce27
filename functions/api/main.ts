import { openApiPorts } from './open-api-ports.ts'
import { type AnswerStream, answerEvent } from '../aws/function-url.ts'
import { createApi } from './create-api.ts'

const app = createApi({
  ports: openApiPorts(process.env),
  addressOf: ({ env }) => String(env['sourceIp']),
})

/** The API as Lambda calls it: with requests of a function URL, whose answers are streamed. */
export const handler = awslambda.streamifyResponse((event: unknown, stream: AnswerStream) =>
  answerEvent(app, event, head => awslambda.HttpResponseStream.from(stream, head)),
)

/** What Lambda's runtime for Node has beside Node. Source: Lambda's page on response streaming. */
declare const awslambda: {
  readonly streamifyResponse: <Handler>(handler: Handler) => Handler
  readonly HttpResponseStream: {
    readonly from: (stream: AnswerStream, head: object) => AnswerStream
  }
}
