import { createUrlHandler } from '../../aws/function-url.ts'
import { createPulumiApi } from './create-pulumi-api.ts'
import { openServicePorts } from './open-service-ports.ts'

const app = createPulumiApi({
  ...openServicePorts(process.env),
  addressOf: ({ env }) => String(env['sourceIp']),
})

/**
 * The Lambda handler of the service for Pulumi's own command line. It serves requests to a function
 * URL.
 */
export const handler = createUrlHandler(app)
