import { publicUrlVariable } from '../../shared/config/aws-resource-names.ts'
import {
  type AwsResources,
  readAwsResources,
  readGroupResources,
  readStackGroups,
} from '../../shared/platform/aws/aws-resources.ts'
import { createPortGroup } from '../../shared/runtime/groups/port-groups.ts'
import { readAwsSettings } from '../../shared/platform/aws/clients.ts'
import { openScalerCaller } from '../../shared/platform/aws/call-scaler.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createApiPlatform } from '../../shared/platform/aws/aws-platform.ts'
import type { UsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import type { UsagePort } from '../../shared/ports/usage.ts'
import { createQueuedSender } from '../../shared/triggers/notifications/queued-sender.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openLogs } from '../aws/open-logs.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'
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
  const clock = createSystemClock()
  const stackGroups = readStackGroups(env)
  const addresses = readAddressRules(env)
  const outbound = createOutbound(addresses)
  const settings = { ...readAwsSettings(env), meter }
  const publicUrl = env[publicUrlVariable]
  const openPorts = (
    resources: AwsResources,
    stackGroup?: string,
  ): ApiPorts & { readonly usage: UsagePort } => {
    const groupField = stackGroup === undefined ? {} : { stackGroup }
    const callScaler = openScalerCaller(settings, resources, { clock, logger })
    const platform = createApiPlatform({
      settings,
      resources,
      logger,
      telemetry,
      callScaler,
      ...groupField,
    })
    const sender = createQueuedSender(platform)
    return {
      ...platform,
      ...groupField,
      execute: 'functions',
      addresses,
      outbound,
      sender,
      stackGroups,
      ...(publicUrl === undefined ? {} : { publicUrl }),
    }
  }
  return {
    ...openPorts(readAwsResources(env)),
    otherGroups: readGroupResources(env).map(group =>
      createPortGroup(group, () => openPorts(group.resources, group.name)),
    ),
  }
}
