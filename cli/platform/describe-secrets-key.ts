import {
  DescribeKeyCommand,
  type KeyMetadata,
  type KMSClient,
  ListAliasesCommand,
  ListResourceTagsCommand,
} from '@aws-sdk/client-kms'
import { awsTags, keyAliasOf } from '../../shared/config/aws-resource-names.ts'
import type { SecretsKey } from './platform-port.ts'
import { sendOrUndefined } from './send-or-undefined.ts'

type KmsSender = Pick<KMSClient, 'send'>

/**
 * Describes the key for secrets of an installation. The alias of the installation names this key.
 * Returns undefined if the alias is missing. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function describeSecretsKey(
  client: KmsSender,
  installation: string,
): Promise<SecretsKey | undefined> {
  const { Arn: arn } = (await describeKey(client, keyAliasOf(installation, 'secrets'))) ?? {}
  if (arn === undefined) return undefined
  return { arn, isOwn: (await readOwner(client, arn)) === installation }
}

/**
 * Returns the reason for which an existing key cannot encrypt the secrets of a new installation.
 * Returns undefined if the key can encrypt them. Two installations with one key could open each
 * other's secrets, so a key belongs to one installation. Throws PLATFORM_PERMISSION_MISSING,
 * PLATFORM_FAILED.
 */
export async function findSecretsKeyFault(
  client: KmsSender,
  arn: string,
): Promise<string | undefined> {
  const key = await describeKey(client, arn)
  if (key === undefined) return 'the key does not exist in this account and region'
  if (key.KeyState !== 'Enabled') return 'the key is not enabled'
  const algorithms = key.EncryptionAlgorithms ?? []
  if (!algorithms.includes('SYMMETRIC_DEFAULT')) return 'the key does not encrypt symmetrically'
  const owner = await readOwner(client, arn)
  if (owner !== undefined) return `the key was created by the installation '${owner}'`
  const response = await sendOrUndefined(() => client.send(new ListAliasesCommand({ KeyId: arn })))
  const [user] = (response?.Aliases ?? []).flatMap(({ AliasName = '' }) => {
    const [, installation] = /^alias\/([a-z][a-z0-9_-]*)-secrets$/.exec(AliasName) ?? []
    return installation ?? []
  })
  return user === undefined ? undefined : `the key has the alias of the installation '${user}'`
}

async function describeKey(client: KmsSender, id: string): Promise<KeyMetadata | undefined> {
  const response = await sendOrUndefined(() => client.send(new DescribeKeyCommand({ KeyId: id })))
  return response?.KeyMetadata
}

/** Returns the installation that created a key. Undefined for another key. */
async function readOwner(client: KmsSender, arn: string): Promise<string | undefined> {
  const response = await sendOrUndefined(() =>
    client.send(new ListResourceTagsCommand({ KeyId: arn })),
  )
  return response?.Tags?.find(({ TagKey }) => TagKey === awsTags.installation)?.TagValue
}
