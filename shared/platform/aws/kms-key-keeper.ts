import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { DeployError, createError } from '../../errors/error.ts'
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { type AwsSettings, createKmsClient } from './clients.ts'
import { isWrongKeyError, withAwsErrors } from './aws-error.ts'
import { type AwsKeyUrl, parseAwsKeyUrl } from '../../secrets/parse-key-url.ts'

/** A keeper that encrypts and decrypts data keys with KMS. `close` closes its clients. */
export interface KmsKeeper extends KeyKeeper {
  readonly close: () => void
}

/**
 * Creates a keeper that encrypts data keys with KMS. It uses the key of an `awskms://` URL, in that
 * key's region, with the URL's profile and encryption context. Its methods throw SECRETS_URL_INVALID,
 * SECRETS_KEY_MISSING, SECRETS_KEY_DENIED, SECRETS_CREDENTIALS_MISSING, and the other errors of
 * `createAwsError`, such as SECRETS_KEY_UNUSABLE. They throw SECRETS_SERVICE_UNAVAILABLE for a
 * response that is not one of KMS. `unwrap` throws SECRETS_MALFORMED for a data key that was
 * encrypted with another key or context.
 */
export function createKmsKeeper(settings: AwsSettings): KmsKeeper {
  const clients = new Map<string, KMSClient>()
  const clientOf = ({ region = settings.region, profile }: AwsKeyUrl): KMSClient => {
    const name = `${region} ${profile ?? ''}`
    const client = clients.get(name) ?? createKmsClient(settings, { region, profile })
    clients.set(name, client)
    return client
  }
  return {
    wrap: async (url, key) => {
      const keyUrl = parseAwsKeyUrl(url)
      const { keyId, context } = keyUrl
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: key,
        EncryptionContext: { ...context },
      })
      const { CiphertextBlob } = await withKeyErrors(`key ${keyId}: encrypt`, () =>
        clientOf(keyUrl).send(command),
      )
      return requireBytes(keyId, CiphertextBlob)
    },
    unwrap: async (url, sealedKey) => {
      const keyUrl = parseAwsKeyUrl(url)
      const { keyId, context } = keyUrl
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: sealedKey,
        EncryptionContext: { ...context },
      })
      const { Plaintext } = await withKeyErrors(`key ${keyId}: decrypt`, async () => {
        try {
          return await clientOf(keyUrl).send(command)
        } catch (thrown) {
          if (isWrongKeyError(thrown)) return throwWrongKey(keyId, thrown)
          throw thrown
        }
      })
      return requireBytes(keyId, Plaintext)
    },
    close: () => {
      for (const client of clients.values()) client.destroy()
    },
  }
}

/** The code that the keeper throws, by the code of `createAwsError` for the same failure. */
const keyCodes: ReadonlyMap<ErrorCode, ErrorCode> = new Map([
  ['STORE_MISSING', 'SECRETS_KEY_MISSING'],
  ['STORE_DENIED', 'SECRETS_KEY_DENIED'],
  ['STORE_CREDENTIALS', 'SECRETS_CREDENTIALS_MISSING'],
  // A response with another status than those that KMS documents may come from a proxy.
  ['INTERNAL_ASSERTION', 'SECRETS_SERVICE_UNAVAILABLE'],
])

/** Returns the bytes of a response. The SDK returns values of other types as they are. */
function requireBytes(keyId: string, bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array && bytes.length > 0) return bytes
  throw createError(
    'SECRETS_SERVICE_UNAVAILABLE',
    `key ${keyId}: the response does not have the format of KMS`,
  )
}

async function withKeyErrors<T>(requestName: string, run: () => Promise<T>): Promise<T> {
  try {
    return await withAwsErrors(requestName, run)
  } catch (thrown) {
    const code = thrown instanceof DeployError ? keyCodes.get(thrown.code) : undefined
    if (!(thrown instanceof DeployError) || code === undefined) throw thrown
    throw createError(code, thrown.message, { details: thrown.details })
  }
}

function throwWrongKey(keyId: string, cause?: unknown): never {
  throw createError(
    'SECRETS_MALFORMED',
    `the data key of this stack was not encrypted with the key ${keyId}`,
    {
      cause,
    },
  )
}
