import { readFileSync } from 'node:fs'
import type { Tools } from './tools.ts'

/** The real parts below the command line; each is loaded when a command first needs it. */
export function createTools(): Tools {
  return {
    openLocal: async options => (await import('../local/local.ts')).openLocal(options),
    openRemote: async login => (await import('./remote/remote-local.ts')).openRemote(login),
    display: async options => (await import('./display/display.ts')).createDisplay(options),
    platform: async shown => (await import('./platform/aws.ts')).createPlatformTools(shown),
    state: async () => {
      const [deployment, integrity] = await Promise.all([
        import('../shared/state/deployment.ts'),
        import('../shared/state/integrity.ts'),
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
    secrets: async () => {
      const [passphrase, cloud, { createOwnKeeper }] = await Promise.all([
        import('../shared/secrets/passphrase.ts'),
        import('../shared/secrets/cloud.ts'),
        import('../shared/platform/aws/own-keeper.ts'),
      ])
      return {
        createUnderKey: async (url, env) => cloud.createCloudManager(url, createOwnKeeper(env)),
        openUnderKey: async (sealed, env) => cloud.openCloudManager(sealed, createOwnKeeper(env)),
        create: async text => passphrase.createPassphraseManager(text),
        open: async (salt, text) => passphrase.openPassphraseManager(salt, text),
        passphrase: async env => passphrase.passphraseFrom(env, file => readFileSync(file, 'utf8')),
      }
    },
  }
}
