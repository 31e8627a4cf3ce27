import { RemovalPolicy } from 'aws-cdk-lib'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'
import { createPart } from './create-part.ts'

/**
 * The keys of an installation. Keys are billed monthly, so there is only one for each kind of
 * data.
 */
export interface EncryptionKeys {
  /** The key that encrypts tables and bucket at rest. Absent: keys of AWS encrypt them. */
  readonly data: Key | undefined
  /** The key that encrypts data keys of stacks and secrets of triggers. */
  readonly secrets: Key
}

/**
 * Creates the keys, which are rotated every year. They are retained when the installation is
 * deleted, because the data cannot be decrypted without them. They are removed if creating the
 * CloudFormation stack fails. Otherwise each try would leave two keys that are billed and encrypt
 * nothing.
 */
export function createKeys(scope: Construct, settings: Settings): EncryptionKeys {
  const part = createPart(scope, 'Encryption')
  const { dataKey } = settings
  return {
    data:
      dataKey === 'own'
        ? createKey(part, settings, {
            id: 'DataKey',
            name: 'data',
            use: 'tables and bucket at rest',
          })
        : undefined,
    secrets: createKey(part, settings, secretsKey),
  }
}

/** Creates the key for the secrets of a group besides the default one. */
export const createSecretsKey = (scope: Construct, settings: Settings): Key =>
  createKey(createPart(scope, 'Encryption'), settings, secretsKey)

const secretsKey = { id: 'SecretsKey', name: 'secrets', use: 'secrets of stacks and triggers' }

const createKey = (
  part: Construct,
  { installation }: Settings,
  { id, name, use }: typeof secretsKey,
): Key =>
  new Key(part, id, {
    alias: `alias/${installation}-${name}`,
    description: `${installation}: ${use}`,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
