import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { createUrlHandler } from '../aws/function-url.ts'
import { createApi } from './create-api.ts'
import { openApiPorts } from './open-api-ports.ts'

const resources = readAwsResources(process.env)
const app = createApi({
  ports: openApiPorts(process.env),
  addressOf: ({ env }) => String(env['sourceIp']),
  streamsMax: Number(resources.get('streamsMax')),
  serviceUrl: resources.get('serviceUrl'),
})

/** The Lambda handler of the API: requests of a function URL, with streamed responses. */
export const handler = createUrlHandler(app)
