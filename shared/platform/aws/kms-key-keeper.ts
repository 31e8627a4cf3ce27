import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms'
import { error } from '../../errors/error.ts'
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { type AwsSettings, createKmsClient } from './clients.ts'
import { withAwsErrors, errorNameOf } from './aws-error.ts'
import { parseKeyUrl } from './key-url.ts'

/** A keeper of data keys in KMS. `close` ends its clients. */
export interface KmsKeeper extends KeyKeeper {
  readonly close: () => void
}

/**
 * Creates a keeper that encrypts data keys by KMS. It uses the key of an `awskms://` URL, in that
 * key's region, with the URL's encryption context. Throws SECRETS_URL_INVALID, SECRETS_MALFORMED
 * (encrypted with another key or context), SECRETS_KEY_UNUSABLE, and the errors of `awsError`.
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
      return CiphertextBlob ?? throwForeignKey(keyId)
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
          if (foreignKeyErrors.has(errorNameOf(thrown))) return throwForeignKey(keyId, thrown)
          throw thrown
        }
      })
      return Plaintext ?? throwForeignKey(keyId)
    },
    close: () => {
      for (const client of clients.values()) client.destroy()
    },
  }
}

/** KMS errors for a text that was encrypted under another key or context. */
const foreignKeyErrors: ReadonlySet<string> = new Set([
  'InvalidCiphertextException',
  'IncorrectKeyException',
])

function throwForeignKey(keyId: string, cause?: unknown): never {
  throw error(
    'SECRETS_MALFORMED',
    `the data key of this stack was not encrypted with the key ${keyId}`,
    {
      cause,
    },
  )
}
