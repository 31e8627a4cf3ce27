import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { createUsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import { readDashboardFiles } from '../../shared/runtime/environment/read-dashboard-files.ts'
import { createUrlHandler } from '../aws/function-url.ts'
import { flushAfter } from '../aws/observe-call.ts'
import { readProcessSize } from '../aws/process-size.ts'
import { createUsageRecorder } from '../aws/usage-recorder.ts'
import { createApi } from './create-api.ts'
import { openApiPorts } from './open-api-ports.ts'

const resources = readAwsResources(process.env)
const meter = createUsageMeter()
const ports = openApiPorts(process.env, meter)
const usage = createUsageRecorder({
  ...ports,
  ...{ meter, part: 'watcher', size: readProcessSize(process.env) },
})
const app = createApi({
  ports: { ...ports, assignUsage: usage.assign },
  addressOf: ({ env }) => String(env['sourceIp']),
  streamsMax: Number(resources.get('streamsMax')),
  serviceUrl: resources.get('serviceUrl'),
  dashboard: readDashboardFiles([`${import.meta.dirname}/dashboard`]),
})

/** The Lambda handler of the API: requests of a function URL, with streamed responses. */
export const handler = createUrlHandler(app, call =>
  flushAfter(ports.telemetry, () => usage.measure(call)),
)
