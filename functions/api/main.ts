import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { openApiPorts } from './open-api-ports.ts'
import { type ResponseStream, answerEvent } from '../aws/function-url.ts'
import { createApi } from './create-api.ts'

const app = createApi({
  ports: openApiPorts(process.env),
  addressOf: ({ env }) => String(env['sourceIp']),
  streamsMax: Number(readAwsResources(process.env).get('streamsMax')),
})

/** The Lambda handler of the API: requests of a function URL, with streamed responses. */
export const handler = awslambda.streamifyResponse((event: unknown, stream: ResponseStream) =>
  answerEvent(app, event, head => awslambda.HttpResponseStream.from(stream, head)),
)

/** The additions of Lambda's Node runtime. Source: Lambda's page on response streaming. */
declare const awslambda: {
  readonly streamifyResponse: <Handler>(handler: Handler) => Handler
  readonly HttpResponseStream: {
    readonly from: (stream: ResponseStream, head: object) => ResponseStream
  }
}
