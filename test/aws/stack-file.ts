import { createKmsKeeper } from '../../shared/platform/aws/kms-key-keeper.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { createCloudManager } from '../../shared/secrets/cloud-secrets.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase-secrets.ts'

/** The passphrase of the stacks in the local cloud that use no KMS key. */
export const passphrase = 'open sesame'
/** A secret in the configuration of all stacks here. It must not be stored in plaintext. */
export const secretText = 'hunter-two-and-a-half'

/** The secrets manager and configuration of a stack file. */
export interface StackFileOptions {
  /** The URL of the KMS key of the secrets; if absent, a passphrase is used. */
  readonly keyUrl?: string
  /** Plaintext configuration by full keys. */
  readonly config?: Readonly<Record<string, string>>
}

/** Creates the file of a stack, with `secretText` as the secret `password` of its project. */
export async function createStackFile(
  stack: StackId,
  { aws, keyUrl, config = {} }: StackFileOptions & { readonly aws: AwsSettings },
): Promise<string> {
  const { state, crypter } =
    keyUrl === undefined
      ? await createPassphraseManager(passphrase)
      : await createCloudManager({ url: keyUrl, stack }, createKmsKeeper(aws))
  const fieldNames = {
    salt: 'encryptionsalt',
    url: 'secretsprovider',
    encryptedkey: 'encryptedkey',
  }
  const lines = [
    ...Object.entries(fieldNames).flatMap(([stateKey, name]) =>
      state[stateKey] === undefined ? [] : [`${name}: ${state[stateKey]}`],
    ),
    'config:',
    ...Object.entries(config).map(([name, value]) => `  ${name}: ${value}`),
    `  ${stackPartsOf(stack).project}:password:`,
    `    secure: ${JSON.stringify(crypter.encrypt(secretText))}`,
  ]
  return `${lines.join('\n')}\n`
}
