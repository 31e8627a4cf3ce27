import type { AwsService } from '../../../shared/platform/aws/clients.ts'
import type { RequiredPermission } from './required-permission.ts'

/** The response of a service to a request that a role does not allow. */
export interface DenialReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Returns the response that denies a permission, in the protocol of the service. Source: the pages
 * of the services on common errors.
 */
export function createDenialReply(
  service: AwsService,
  { action, resource }: RequiredPermission,
): DenialReply {
  const message = `User is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`
  if (service === 'S3')
    return createXmlReply(`<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`)
  if (service === 'STS')
    return createXmlReply(
      `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error></ErrorResponse>`,
    )
  const respondsWith400 = ['DYNAMODB', 'ECS', 'KMS'].includes(service)
  return {
    status: respondsWith400 ? 400 : 403,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amzn-errortype': 'AccessDeniedException',
    },
    body: JSON.stringify({
      __type: 'com.amazon.coral.service#AccessDeniedException',
      message,
    }),
  }
}

const createXmlReply = (body: string): DenialReply => ({
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
})
