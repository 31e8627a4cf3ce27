import { hostname } from 'node:os'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import {
  type AwsPlatformDeps,
  createServicePlatform,
} from '../../shared/platform/aws/aws-platform.ts'
import {
  type AwsResources,
  readAwsResources,
  readGroupResources,
  readStackGroups,
} from '../../shared/platform/aws/aws-resources.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import { createPortGroup } from '../../shared/runtime/groups/port-groups.ts'
import { readAwsSettings } from '../../shared/platform/aws/clients.ts'
import { createLambdaClient } from '../../shared/platform/aws/lambda-client.ts'
import { createMetricWriter } from '../../shared/platform/aws/metrics.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createCompactionCaller } from '../../shared/runtime/compaction/call-compaction.ts'
import { createMeasuredCompact } from '../../shared/runtime/compaction/measured-compact.ts'
import { openLogs } from '../aws/open-logs.ts'
import { createRequestForwarder } from '../aws/forward-request.ts'
import type { ServicePortsWithoutLogs } from '../../shared/pulumi-service/add-service-routes.ts'
import type { createPulumiApi } from './create-pulumi-api.ts'

/**
 * Opens the ports of an installation's service for Pulumi's command line. Also creates the function
 * that forwards its delegated requests to the API. The service closes only deployments of clients:
 * a function cannot see the processes of other holders. Throws AWS_SETTINGS_INVALID.
 */
export function openServicePorts(
  env: Readonly<Record<string, string | undefined>>,
): Pick<Parameters<typeof createPulumiApi>[0], 'ports' | 'forward'> {
  const write = (line: string): void => void process.stdout.write(line)
  const { telemetry, logger } = openLogs(env, write)
  const [settings, resources] = [readAwsSettings(env), readAwsResources(env)]
  const deps = { env, settings, logger, telemetry, write }
  return {
    ports: {
      ...openGroupPorts(deps, resources),
      otherGroups: readGroupResources(env).map(group =>
        createPortGroup(group, () => openGroupPorts(deps, group.resources, group.name)),
      ),
    },
    forward: createRequestForwarder({
      lambda: createLambdaClient(settings, awsLimits.forwardedResponseTimeoutMs),
      functionArn: resources.get('apiFunction'),
    }),
  }
}

/** Opens the ports of one group of stacks. */
function openGroupPorts(
  deps: Pick<AwsPlatformDeps, 'settings' | 'logger'> & {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly telemetry: TelemetryPort
    readonly write: (line: string) => void
  },
  resources: AwsResources,
  stackGroup?: string,
): ServicePortsWithoutLogs {
  const { env, settings, logger, telemetry, write } = deps
  const installation = resources.get('installation')
  const putMetric = createMetricWriter({ installation, write, clock: createSystemClock() })
  const groupField = stackGroup === undefined ? {} : { stackGroup }
  const platform = createServicePlatform({ settings, resources, logger, telemetry, ...groupField })
  const compact = createCompactionCaller({
    lambda: createLambdaClient(settings, awsLimits.compactionResponseTimeoutMs),
    functionArn: resources.get('compactionFunction'),
    compactHere: createMeasuredCompact(platform, putMetric),
    logger,
  })
  const started = platform.random.uuid()
  const closing = {
    ...platform,
    holder: { host: hostname(), pid: process.pid, started, who: 'a function' },
    isAlive: () => undefined,
    endProcessGroup: () => undefined,
    compact,
  }
  return { ...platform, closing, execute: 'functions', stackGroups: readStackGroups(env) }
}
