import { CreateAliasCommand, CreateKeyCommand } from '@aws-sdk/client-kms'
import { randomUUID } from 'node:crypto'
import { type AwsSettings, createKmsClient } from '../../shared/platform/aws/clients.ts'

/** Creates a key of KMS with an alias, and returns its URL as a secrets provider. */
export async function createKeyUrl(aws: AwsSettings): Promise<string> {
  const kms = createKmsClient(aws, aws)
  const AliasName = `alias/antichain-${randomUUID()}`
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}))
  await kms.send(new CreateAliasCommand({ AliasName, TargetKeyId: KeyMetadata?.KeyId }))
  kms.destroy()
  return `awskms://${AliasName}?region=${aws.region}`
}
