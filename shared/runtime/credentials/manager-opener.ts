import { readFileSync } from 'node:fs'
import { createDefaultKeyKeeper } from '../../platform/aws/default-key-keeper.ts'
import { openManagerFromState } from '../../secrets/secrets-from-state.ts'
import { readPassphrase } from '../../secrets/passphrase-secrets.ts'
import type { OpenState } from '../environment/read-stack-references.ts'

/**
 * Creates the function that opens secrets managers with the passphrase and credentials of an
 * environment.
 */
export function createEnvironmentStateOpener(
  env: Readonly<Record<string, string | undefined>>,
): OpenState {
  const keeper = createDefaultKeyKeeper(env)
  return (stack, storedManager) =>
    openManagerFromState(
      storedManager,
      readPassphrase(env, file => readFileSync(file, 'utf8')),
      { keeper, allowed: { kind: 'own-or-unnamed', stack } },
    )
}
