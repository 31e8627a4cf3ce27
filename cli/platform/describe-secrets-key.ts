import { DescribeKeyCommand, type KMSClient } from '@aws-sdk/client-kms'
import { keyAliasOf, secretsKeyDescriptionOf } from '../../shared/config/aws-resource-names.ts'
import type { SecretsKey } from './platform-port.ts'
import { sendOrUndefined } from './send-or-undefined.ts'

/**
 * Describes the key for secrets of an installation, which its alias names. Returns undefined if the
 * alias is missing. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function describeSecretsKey(
  client: Pick<KMSClient, 'send'>,
  installation: string,
): Promise<SecretsKey | undefined> {
  const command = new DescribeKeyCommand({ KeyId: keyAliasOf(installation, 'secrets') })
  const response = await sendOrUndefined(() => client.send(command))
  const { Arn: arn, Description: description } = response?.KeyMetadata ?? {}
  if (arn === undefined) return undefined
  return { arn, isOwn: description === secretsKeyDescriptionOf(installation) }
}
