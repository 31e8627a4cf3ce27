import { RemovalPolicy } from 'aws-cdk-lib'
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'
import { keyAliasOf } from '../../shared/config/aws-resource-names.ts'
import { createTaggedScope } from './create-tagged-scope.ts'

const secretsKeyId = 'SecretsKey'

/**
 * The keys of an installation. Keys are billed monthly, so there is only one for each kind of
 * data.
 */
export interface EncryptionKeys {
  /** The key that encrypts tables and bucket at rest. Absent: keys of AWS encrypt them. */
  readonly data: Key | undefined
  /** The key that encrypts data keys of stacks and secrets of triggers. */
  readonly secrets: IKey
}

/**
 * Creates the keys, which are rotated every year. They are retained when the installation is
 * deleted, because the data cannot be decrypted without them. They are removed if creating the
 * CloudFormation stack fails. Otherwise each try would leave two keys that are billed and encrypt
 * nothing. The key for secrets can also be an existing one, which the installation does not change.
 */
export function createKeys(scope: Construct, settings: Settings): EncryptionKeys {
  const part = createTaggedScope(scope, 'Encryption')
  const { dataKey, secretsKey } = settings
  return {
    data: dataKey === 'own' ? createDataKey(part, settings) : undefined,
    secrets:
      secretsKey === 'own'
        ? createOwnSecretsKey(part, settings)
        : importSecretsKey(part, settings, secretsKey),
  }
}

/**
 * Creates the key for the secrets of a group besides the default one. Each group has a key of its
 * own, because the permission to use a key is the boundary between the secrets of groups.
 */
export const createSecretsKey = (scope: Construct, settings: Settings): Key =>
  createOwnSecretsKey(createTaggedScope(scope, 'Encryption'), settings)

function createDataKey(part: Construct, { installation }: Settings): Key {
  const description = `${installation}: tables and bucket at rest`
  return createKey(part, 'DataKey', { alias: keyAliasOf(installation, 'data'), description })
}

function createOwnSecretsKey(part: Construct, { installation }: Settings): Key {
  const alias = keyAliasOf(installation, 'secrets')
  const description = `${installation}: secrets of stacks and triggers`
  return createKey(part, secretsKeyId, { alias, description })
}

const createKey = (
  part: Construct,
  id: string,
  names: { readonly alias: string; readonly description: string },
): Key =>
  new Key(part, id, {
    ...names,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })

/**
 * Returns an existing key, with the alias that an own key has. By the alias, `platform deploy`
 * finds the key with which the existing secrets are encrypted.
 */
function importSecretsKey(part: Construct, { installation }: Settings, arn: string): IKey {
  const key = Key.fromKeyArn(part, secretsKeyId, arn)
  new Alias(part, 'SecretsKeyAlias', {
    aliasName: keyAliasOf(installation, 'secrets'),
    targetKey: key,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  return key
}
