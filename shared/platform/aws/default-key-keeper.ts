import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { parseKeyUrl } from '../../secrets/key-url.ts'
import type { KmsKeeper } from './kms-key-keeper.ts'

/**
 * Creates a keeper that uses KMS keys with the credentials of this process. A request is sent to
 * the region in the key's URL, or else to the region of the environment. The modules of AWS are
 * loaded when the first key is used. Both methods throw AWS_SETTINGS_INVALID without a region, and
 * the errors of `createKmsKeeper`.
 */
export function createDefaultKeyKeeper(
  env: Readonly<Record<string, string | undefined>>,
): KeyKeeper {
  const keepers = new Map<string, Promise<KmsKeeper>>()
  const createKeeper = async (region: string): Promise<KmsKeeper> => {
    const [{ readAwsSettings }, { createKmsKeeper }] = await Promise.all([
      import('./clients.ts'),
      import('./kms-key-keeper.ts'),
    ])
    return createKmsKeeper(readAwsSettings({ ...env, AWS_REGION: region }))
  }
  const keeperOf = (url: string): Promise<KmsKeeper> => {
    const { region: urlRegion = '' } = parseKeyUrl(url)
    // This is the default of the keeper, which prefers the region in the URL.
    const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || urlRegion
    const keeper = keepers.get(region) ?? createKeeper(region)
    keepers.set(region, keeper)
    return keeper
  }
  return {
    wrap: async (url, key) => (await keeperOf(url)).wrap(url, key),
    unwrap: async (url, sealedKey) => (await keeperOf(url)).unwrap(url, sealedKey),
  }
}
