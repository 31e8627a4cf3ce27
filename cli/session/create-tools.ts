import { readFileSync } from 'node:fs'
import type { Tools } from './tools.ts'

/** Creates the real parts below the command line. Each is loaded when a command first needs it. */
export function createTools(): Tools {
  return {
    openLocal: async options => (await import('../../local/local.ts')).openLocal(options),
    openRemote: async login => (await import('../remote/remote-engine.ts')).openRemote(login),
    openDisplay: async options => (await import('../display/display.ts')).createDisplay(options),
    loadPlatform: async shown =>
      (await import('../platform/platform-tools.ts')).createPlatformTools(shown),
    loadState: async () => {
      const [deployment, integrity] = await Promise.all([
        import('../../shared/state/snapshot-codec.ts'),
        import('../../shared/state/snapshot-integrity.ts'),
      ])
      const { parseEnvelope, printEnvelope, envelopeOf, decodeSnapshot, encodeSnapshot } =
        deployment
      return {
        parseEnvelope,
        printEnvelope,
        envelopeOf,
        decodeSnapshot,
        encodeSnapshot,
        verifyIntegrity: integrity.verifyIntegrity,
      }
    },
    loadSecrets: async () => {
      const [passphrase, cloud, { createDefaultKeyKeeper }] = await Promise.all([
        import('../../shared/secrets/passphrase-secrets.ts'),
        import('../../shared/secrets/cloud-secrets.ts'),
        import('../../shared/platform/aws/default-key-keeper.ts'),
      ])
      return {
        createUnderKey: async (url, env) =>
          cloud.createCloudManager(url, createDefaultKeyKeeper(env)),
        openUnderKey: async (sealed, env) =>
          cloud.openCloudManager(sealed, createDefaultKeyKeeper(env)),
        create: async text => passphrase.createPassphraseManager(text),
        open: async (salt, text) => passphrase.openPassphraseManager(salt, text),
        readPassphrase: async env =>
          passphrase.readPassphrase(env, file => readFileSync(file, 'utf8')),
      }
    },
  }
}
