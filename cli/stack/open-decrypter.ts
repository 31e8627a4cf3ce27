import { createError } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { hasSecretOutputs, readStackOutputs } from '../../shared/state/stack-outputs.ts'
import type { Json, StoredDeployment } from '../../shared/state/stored.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { openStateManager, ownKeysOf } from './stack-secrets.ts'

/**
 * Returns the function that decrypts the secrets of a stack's state. Throws SECRETS_MALFORMED for a
 * state without a secrets provider, and the errors of the provider.
 */
export async function openDecrypter(
  session: CliSession,
  id: StackId,
  state: StoredDeployment | undefined,
): Promise<(ciphertext: string) => string> {
  const manager =
    state === undefined ? undefined : await openStateManager(session, state, ownKeysOf(id))
  if (manager === undefined)
    throw createError(
      'SECRETS_MALFORMED',
      'the state contains encrypted secrets but names no secrets provider',
    )
  return manager.crypter.decrypt
}

/**
 * Reads the outputs of a stack. Secrets are decrypted with --show-secrets, and masked without it.
 * Without a secret output, no secrets provider is opened.
 */
export async function readStackOutputsForDisplay(
  session: CliSession,
  flags: Flags,
  { id, state }: { readonly id: StackId; readonly state: StoredDeployment | undefined },
): Promise<ReadonlyMap<string, Json>> {
  const mustDecrypt = flags.isSet('showSecrets') && hasSecretOutputs(state)
  return readStackOutputs(state, mustDecrypt ? await openDecrypter(session, id, state) : undefined)
}
