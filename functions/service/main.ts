import { createUrlHandler } from '../aws/function-url.ts'
import { flushAfter } from '../aws/observe-call.ts'
import { createPulumiApi } from './create-pulumi-api.ts'
import { openServicePorts } from './open-service-ports.ts'

const service = openServicePorts(process.env)
const app = createPulumiApi({
  ...service,
  addressOf: ({ env }) => String(env['sourceIp']),
})

/**
 * The Lambda handler of the service for Pulumi's own command line. It serves requests to a function
 * URL.
 */
export const handler = createUrlHandler(app, call => flushAfter(service.ports.telemetry, call))
