import { readFileSync } from 'node:fs'
import { createDefaultKeyKeeper } from '../../platform/key-services/default-key-keeper.ts'
import { openManagerFromState } from '../../secrets/secrets-from-state.ts'
import { readPassphrase } from '../../secrets/passphrase-secrets.ts'
import type { OpenStateManager } from '../environment/read-stack-references.ts'

/**
 * Creates the function that opens the secrets manager of a state. The function reads the passphrase
 * and the credentials from the variables `env`.
 */
export function createEnvironmentManagerOpener(
  env: Readonly<Record<string, string | undefined>>,
): OpenStateManager {
  const keeper = createDefaultKeyKeeper(env)
  return (stack, storedManager) =>
    openManagerFromState(
      storedManager,
      readPassphrase(env, file => readFileSync(file, 'utf8')),
      {
        keeper,
        allowed: { kind: 'own-or-unnamed', stack },
        openService: async serviceStack => {
          const { openRemoteServiceManager } = await import(
            '../../platform/key-services/service/remote-service-secrets.ts'
          )
          return openRemoteServiceManager(serviceStack, env)
        },
      },
    )
}
