import { deploymentPartsOf, type StackId, stackPartsOf } from '../../records/ids.ts'
import type { NotificationEvent } from '../../records/notification.ts'
import { type DeliveryKind, pulumiOperationOf } from './pulumi-filters.ts'

/** The name of the only organization, as clients of Pulumi see it. */
export const organizationName = 'organization'

/**
 * Returns the payload of a delivery in the format of the webhooks of Pulumi's service. The payload
 * names no user. Its addresses are empty, because Antichain has no pages of Pulumi Cloud. Source:
 * the page "Webhooks" of Pulumi's documentation, section "Payload Examples".
 */
export function pulumiPayloadOf(event: NotificationEvent, kind: DeliveryKind): string {
  const commonFields = commonFieldsOf(event.stack)
  return JSON.stringify({ ...commonFields, ...detailsOf(event, kind) })
}

/** Returns the payload of a test delivery. `stack`: '*' for all stacks. */
export function pingPayloadOf(stack: StackId | '*'): string {
  return JSON.stringify({ ...commonFieldsOf(stack), message: 'This is a test delivery.' })
}

function commonFieldsOf(stack: StackId | '*'): object {
  const organization = { name: organizationName, githubLogin: organizationName, avatarUrl: '' }
  const user = { name: '', githubLogin: '', avatarUrl: '' }
  if (stack === '*') return { user, organization }
  const { project, stack: name } = stackPartsOf(stack)
  return { user, organization, projectName: project, stackName: name }
}

function detailsOf(event: NotificationEvent, kind: DeliveryKind): object {
  const resourceChanges = 'changes' in event ? (event.changes ?? {}) : {}
  const operation = pulumiOperationOf(event)
  if (kind === 'stack_update') {
    const result = event.kind
    return { updateUrl: '', kind: operation, result, resourceChanges, isPreview: false }
  }
  if (kind === 'drift_detection')
    return {
      driftDetected: true,
      driftRunId: event.request ?? '',
      status: 'succeeded',
      resourceChanges,
      referenceUrl: '',
    }
  const versionField =
    event.deployment === undefined ? {} : { version: deploymentPartsOf(event.deployment).number }
  const status = event.kind === 'started' ? 'running' : event.kind
  return { deploymentUrl: '', ...versionField, operation, status }
}
