/**
 * key-services: keepers of data keys over the key services of AWS, Azure, Google Cloud and Vault.
 * Imports errors, config, values and secrets, and the KMS client of aws.
 *
 * Invariants: 1. A keeper sends a data key only to the service that its URL names, and never
 * writes it elsewhere. The errors of HTTP clients contain their requests, so they are never causes.
 * Errors of the AWS client have no request. 2. The client of a service is loaded when its first key
 * is used.
 */
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { type KeyService, keyServiceOf, createKeyUrlError } from '../../secrets/key-url.ts'
import { createClientCache } from './client-cache.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The modules of the keepers. Each is loaded when its first key is used. */
const keeperLoaders: Readonly<Record<KeyService, (env: Env) => Promise<KeyKeeper>>> = {
  awskms: async env => (await import('./aws-key-keeper.ts')).createAwsKeeper(env),
  azurekeyvault: async () => (await import('./azure-key-keeper.ts')).createAzureKeeper(),
  gcpkms: async env => (await import('./gcp-key-keeper.ts')).createGcpKeeper(env),
  hashivault: async env => (await import('./vault-key-keeper.ts')).createVaultKeeper(env),
}

/**
 * Creates a keeper that uses the keys of all services with the credentials of this process. Both
 * methods throw SECRETS_URL_INVALID, SECRETS_CREDENTIALS_MISSING, SECRETS_KEY_MISSING,
 * SECRETS_KEY_DENIED, SECRETS_KEY_UNUSABLE and SECRETS_SERVICE_UNAVAILABLE. `unwrap` also throws
 * SECRETS_MALFORMED for a data key that was encrypted with another key.
 */
export function createDefaultKeyKeeper(env: Env): KeyKeeper {
  const keepers = createClientCache((service: KeyService) => keeperLoaders[service](env))
  const keeperOf = (url: string): Promise<KeyKeeper> => {
    const service = keyServiceOf(url)
    if (service === undefined) throw createKeyUrlError(url, 'does not name a key service')
    return keepers.get(service)
  }
  return {
    wrap: async (url, key) => (await keeperOf(url)).wrap(url, key),
    unwrap: async (url, sealedKey) => (await keeperOf(url)).unwrap(url, sealedKey),
  }
}
