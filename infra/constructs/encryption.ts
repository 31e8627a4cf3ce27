import { RemovalPolicy } from 'aws-cdk-lib'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { createPart } from './create-part.ts'

/** The two keys: each costs by the month, so there is none that would not part two powers. */
export interface EncryptionKeys {
  /** What tables and bucket are encrypted with at rest. */
  readonly data: Key
  /** What data keys of stacks, and secrets of triggers, are encrypted with. */
  readonly secrets: Key
}

/** Keys that are renewed every year and stay when the installation goes: data is lost with them. */
export function createKeys(scope: Construct, installation: string): EncryptionKeys {
  const group = createPart(scope, 'Encryption')
  const createKey = (id: string, name: string, description: string): Key =>
    new Key(group, id, {
      alias: `alias/${installation}-${name}`,
      description: `${installation}: ${description}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  return {
    data: createKey('DataKey', 'data', 'tables and bucket at rest'),
    secrets: createKey('SecretsKey', 'secrets', 'secrets of stacks and triggers'),
  }
}
