import { createError } from '../../errors/error.ts'
import type { StackSecrets } from '../../programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { type KeyKeeper, openCloudManager } from '../../secrets/cloud-secrets.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import type { AllowedKeys } from '../../secrets/key-stack.ts'
import { isKeyUrl } from '../../secrets/key-url.ts'
import { openPassphraseManager } from '../../secrets/passphrase-secrets.ts'

/** The key service and the passphrase of an installation or process. */
export interface StackSecretsDeps {
  readonly keeper: KeyKeeper
  readonly passphrase: string | undefined
  /** `own`: only data keys of the stack. `own-or-unnamed`: also data keys that name no stack. */
  readonly allowedKeys: Exclude<AllowedKeys['kind'], 'any'>
  /**
   * Opens the manager `service` that is recorded for a stack: in its published state, or in a
   * separate document before the first state. Returns undefined if another manager or none is
   * recorded. Absent on a platform without stacks that use this manager.
   */
  readonly openRecordedServiceManager?: (stack: StackId) => Promise<SecretsManager | undefined>
}

/**
 * Opens the secrets manager that a stack's file names. The key of a key service or the
 * installation's passphrase opens it, without user input. The file comes from an uploaded program,
 * and could name the data key of another stack. So the data key must belong to `stack`. Throws
 * SECRETS_PASSPHRASE_MISSING, SECRETS_PASSPHRASE_WRONG, SECRETS_MANAGER_UNSUPPORTED,
 * SECRETS_MALFORMED, and the errors of `openCloudManager`.
 */
export async function openStackSecrets(
  deps: StackSecretsDeps,
  stack: StackId,
  { provider, encryptedKey, encryptionSalt }: StackSecrets,
): Promise<SecretsManager> {
  const { keeper, passphrase, allowedKeys } = deps
  const { stack: name } = stackPartsOf(stack)
  if (isKeyUrl(provider)) {
    if (encryptedKey === '')
      throw createError('SECRETS_MALFORMED', `the file of stack '${name}' has no encrypted key`)
    const allowed = { kind: allowedKeys, stack }
    return openCloudManager({ url: provider, encryptedKey }, { keeper, allowed })
  }
  if (!['', 'default', 'passphrase'].includes(provider))
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the secrets provider '${provider}' is not supported here`,
    )
  if (encryptionSalt === '') {
    // If a stack uses the manager `service`, its file names no manager.
    const serviceManager = await deps.openRecordedServiceManager?.(stack)
    if (serviceManager !== undefined) return serviceManager
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the file of stack '${name}' does not name a secrets provider`,
      { hint: 'Run `antichain stack init` in the program folder, and upload the program again.' },
    )
  }
  if (passphrase === undefined)
    throw createError(
      'SECRETS_PASSPHRASE_MISSING',
      `the passphrase of stack '${name}' is not available here`,
      {
        hint: 'Encrypt the secrets of this stack with the key of the installation: `awskms://alias/<installation>-secrets`. Functions have no passphrase.',
      },
    )
  return openPassphraseManager(encryptionSalt, passphrase)
}
