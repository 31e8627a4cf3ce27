import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { parseAwsKeyUrl } from '../../secrets/parse-key-url.ts'
import { readAwsSettings } from '../aws/clients.ts'
import { createKmsKeeper, type KmsKeeper } from '../aws/kms-key-keeper.ts'

/**
 * Creates a keeper that uses KMS keys with the credentials of this process. A request is sent to
 * the region in the key's URL, or else to the region of the environment. Both methods throw
 * AWS_SETTINGS_INVALID without such a region, and the errors of `createKmsKeeper`.
 */
export function createAwsKeeper(env: Readonly<Record<string, string | undefined>>): KeyKeeper {
  const keepers = new Map<string, KmsKeeper>()
  const keeperOf = (url: string): KmsKeeper => {
    const { region: urlRegion = '' } = parseAwsKeyUrl(url)
    // The keeper uses this region only for a URL without a region.
    const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || urlRegion
    const keeper =
      keepers.get(region) ?? createKmsKeeper(readAwsSettings({ ...env, AWS_REGION: region }))
    keepers.set(region, keeper)
    return keeper
  }
  return {
    wrap: async (url, key) => keeperOf(url).wrap(url, key),
    unwrap: async (url, sealedKey) => keeperOf(url).unwrap(url, sealedKey),
  }
}
