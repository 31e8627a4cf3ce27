import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { readAwsSettings } from '../../shared/platform/aws/clients.ts'
import { createApiPlatform } from '../../shared/platform/aws/aws-platform.ts'
import type { UsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import type { UsagePort } from '../../shared/ports/usage.ts'
import { createQueuedSender } from '../../shared/triggers/notifications/queued-sender.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openLogs } from '../aws/open-logs.ts'
import type { ApiPorts } from './define-route.ts'
import { readAddressRules } from '../../shared/runtime/environment/address-rules.ts'

/**
 * Opens the ports of an installation's API. The API has no credentials of deployments, and no key
 * for secrets of stacks. It seals secrets of triggers, and only other functions open them. `meter`
 * counts all requests. Throws AWS_SETTINGS_INVALID.
 */
export function openApiPorts(
  env: Readonly<Record<string, string | undefined>>,
  meter: UsageMeter,
): ApiPorts & { readonly usage: UsagePort } {
  const { telemetry, logger } = openLogs(env)
  const platform = createApiPlatform({
    settings: { ...readAwsSettings(env), meter },
    resources: readAwsResources(env),
    logger,
    telemetry,
  })
  const addresses = readAddressRules(env)
  const sender = createQueuedSender(platform)
  return {
    ...platform,
    execute: 'functions',
    addresses,
    outbound: createOutbound(addresses),
    sender,
  }
}
