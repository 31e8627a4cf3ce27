import { readFileSync } from 'node:fs'
import type { KeyKeeper } from '../../shared/secrets/cloud-secrets.ts'
import type * as PassphraseSecrets from '../../shared/secrets/passphrase-secrets.ts'
import type { Tools } from './tools.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Creates the tools of the real command line. A module is loaded when a command first needs it. */
export function createLazyTools(): Tools {
  /** One keeper for each environment, so that a process opens each data key once. */
  const keepers = new WeakMap<Env, KeyKeeper>()
  const readPassphraseOnce = createPassphraseReader()
  const keeperOf = (env: Env, createKeeper: (env: Env) => KeyKeeper): KeyKeeper => {
    const keeper = keepers.get(env) ?? createKeeper(env)
    keepers.set(env, keeper)
    return keeper
  }
  return {
    openLocal: async options => (await import('../../local/local-engine.ts')).openLocal(options),
    openRemote: async login => (await import('../remote/remote-engine.ts')).openRemote(login),
    openDisplay: async options =>
      (await import('../display/choose-display.ts')).createDisplay(options),
    loadPlatform: async cdkOutput =>
      (await import('../platform/platform-tools.ts')).createPlatformTools(cdkOutput),
    loadState: async () => {
      const {
        parseEnvelope,
        printEnvelope,
        printEnvelopeInChunks,
        envelopeOf,
        decodeSnapshot,
        encodeSnapshot,
        recodeDeployment,
      } = await import('../../shared/state/snapshot-codec.ts')
      return {
        parseEnvelope,
        printEnvelope,
        printEnvelopeInChunks,
        envelopeOf,
        decodeSnapshot,
        encodeSnapshot,
        recodeDeployment,
      }
    },
    loadSecrets: async () => {
      const [passphraseSecrets, cloudSecrets, { createDefaultKeyKeeper }] = await Promise.all([
        import('../../shared/secrets/passphrase-secrets.ts'),
        import('../../shared/secrets/cloud-secrets.ts'),
        import('../../shared/platform/key-services/default-key-keeper.ts'),
      ])
      return {
        createWithKey: async (key, env) =>
          cloudSecrets.createCloudManager(key, keeperOf(env, createDefaultKeyKeeper)),
        openWithKey: async (sealedKey, allowed, env) =>
          cloudSecrets.openCloudManager(sealedKey, {
            keeper: keeperOf(env, createDefaultKeyKeeper),
            allowed,
          }),
        createWithPassphrase: async passphrase =>
          passphraseSecrets.createPassphraseManager(passphrase),
        openWithPassphrase: async (salt, passphrase) =>
          passphraseSecrets.openPassphraseManager(salt, passphrase),
        openWithService: async (stack, env) => {
          const { openRemoteServiceManager } = await import(
            '../../shared/platform/key-services/service/remote-service-secrets.ts'
          )
          return openRemoteServiceManager(stack, env)
        },
        readPassphrase: async env => readPassphraseOnce(env, passphraseSecrets.readPassphrase),
      }
    },
  }
}

/**
 * Creates a function that reads the passphrase of each environment once. The file of the passphrase
 * may be a pipe, which can be read only once.
 */
function createPassphraseReader() {
  const passphrases = new WeakMap<Env, { readonly passphrase: string | undefined }>()
  return (env: Env, readPassphrase: typeof PassphraseSecrets.readPassphrase) => {
    const cached = passphrases.get(env) ?? {
      passphrase: readPassphrase(env, file => readFileSync(file, 'utf8')),
    }
    passphrases.set(env, cached)
    return cached.passphrase
  }
}
