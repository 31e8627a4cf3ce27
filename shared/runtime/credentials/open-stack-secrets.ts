import { error } from '../../errors/error.ts'
import type { StackSecrets } from '../../programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { type KeyKeeper, openCloudManager } from '../../secrets/cloud-secrets.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { openPassphraseManager } from '../../secrets/passphrase-secrets.ts'

/**
 * Opens the manager that a stack's file names, where nobody can be asked: a key of KMS, or a
 * passphrase that the installation was given. Throws SECRETS_PASSPHRASE_MISSING,
 * SECRETS_PASSPHRASE_WRONG, SECRETS_MANAGER_UNSUPPORTED, and what the keeper throws.
 */
export async function openStackSecrets(
  deps: { readonly keeper: KeyKeeper; readonly passphrase: string | undefined },
  stack: StackId,
  { provider, encryptedKey, encryptionSalt }: StackSecrets,
): Promise<SecretsManager> {
  const { keeper, passphrase } = deps
  const { stack: name } = stackPartsOf(stack)
  if (provider.startsWith('awskms://')) {
    if (encryptedKey === '')
      throw error('SECRETS_MALFORMED', `the file of stack '${name}' has no encrypted key`)
    return openCloudManager({ url: provider, encryptedKey }, keeper)
  }
  if (!['', 'default', 'passphrase'].includes(provider))
    throw error('SECRETS_MANAGER_UNSUPPORTED', `the secrets provider '${provider}' cannot be used`)
  if (encryptionSalt === '')
    throw error(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the file of stack '${name}' does not say how its secrets are kept`,
      { hint: 'Run `antichain stack init` in the program folder, and upload the program again.' },
    )
  if (passphrase === undefined)
    throw error(
      'SECRETS_PASSPHRASE_MISSING',
      `the passphrase of stack '${name}' is not given here`,
      {
        hint:
          'Keep the secrets of this stack under the key of the installation: ' +
          '`awskms://alias/<installation>-secrets`. Functions are told no passphrase.',
      },
    )
  return openPassphraseManager(encryptionSalt, passphrase)
}
