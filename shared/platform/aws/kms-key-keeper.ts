import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms'
import { error } from '../../errors/error.ts'
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { type AwsSettings, createKmsClient } from './clients.ts'
import { isWrongKeyError, withAwsErrors } from './aws-error.ts'
import { parseKeyUrl } from '../../secrets/key-url.ts'

/** A keeper that encrypts and decrypts data keys with KMS. `close` closes its clients. */
export interface KmsKeeper extends KeyKeeper {
  readonly close: () => void
}

/**
 * Creates a keeper that encrypts data keys with KMS. It uses the key of an `awskms://` URL, in that
 * key's region, with the URL's encryption context. Its methods throw SECRETS_URL_INVALID, and the
 * errors of `awsError`, such as SECRETS_KEY_UNUSABLE. `unwrap` throws SECRETS_MALFORMED for a data
 * key that was encrypted with another key or context.
 */
export function createKmsKeeper(settings: AwsSettings): KmsKeeper {
  const clients = new Map<string, KMSClient>()
  const clientOf = (region = settings.region): KMSClient => {
    const client = clients.get(region) ?? createKmsClient(settings, region)
    clients.set(region, client)
    return client
  }
  return {
    wrap: async (url, key) => {
      const { keyId, region, context } = parseKeyUrl(url)
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: key,
        EncryptionContext: { ...context },
      })
      const { CiphertextBlob } = await withAwsErrors(`key ${keyId}: encrypt`, () =>
        clientOf(region).send(command),
      )
      return CiphertextBlob ?? throwWrongKey(keyId)
    },
    unwrap: async (url, sealedKey) => {
      const { keyId, region, context } = parseKeyUrl(url)
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: sealedKey,
        EncryptionContext: { ...context },
      })
      const { Plaintext } = await withAwsErrors(`key ${keyId}: decrypt`, async () => {
        try {
          return await clientOf(region).send(command)
        } catch (thrown) {
          if (isWrongKeyError(thrown)) return throwWrongKey(keyId, thrown)
          throw thrown
        }
      })
      return Plaintext ?? throwWrongKey(keyId)
    },
    close: () => {
      for (const client of clients.values()) client.destroy()
    },
  }
}

function throwWrongKey(keyId: string, cause?: unknown): never {
  throw error(
    'SECRETS_MALFORMED',
    `the data key of this stack was not encrypted with the key ${keyId}`,
    {
      cause,
    },
  )
}
