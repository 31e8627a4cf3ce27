import type { KeyKeeper } from '../../secrets/cloud.ts'
import { parseKeyUrl } from './key-url.ts'
import type { KmsKeeper } from './keys.ts'

/**
 * Keys of KMS by the credentials of this process, in the region of the environment, or of the
 * address of the key when that has none. Nothing of AWS is loaded before a key is asked for. Throws
 * AWS_SETTINGS_INVALID where no region is named, and what `createKmsKeeper` says.
 */
export function createOwnKeeper(env: Readonly<Record<string, string | undefined>>): KeyKeeper {
  const keepers = new Map<string, Promise<KmsKeeper>>()
  const made = async (region: string): Promise<KmsKeeper> => {
    const [{ awsSettings }, { createKmsKeeper }] = await Promise.all([
      import('./clients.ts'),
      import('./keys.ts'),
    ])
    return createKmsKeeper(awsSettings({ ...env, AWS_REGION: region }))
  }
  const keeperOf = (url: string): Promise<KmsKeeper> => {
    const { region: named = '' } = parseKeyUrl(url)
    const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || named
    const keeper = keepers.get(region) ?? made(region)
    keepers.set(region, keeper)
    return keeper
  }
  return {
    wrap: async (url, key) => (await keeperOf(url)).wrap(url, key),
    unwrap: async (url, sealed) => (await keeperOf(url)).unwrap(url, sealed),
  }
}
