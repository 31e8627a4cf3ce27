import * as z from 'zod'
import { createError, messageOf } from '../../errors/error.ts'
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { parseAzureKeyUrl } from '../../secrets/parse-key-url.ts'
import { createClientCache } from './client-cache.ts'
import { keyFailureOf, type KeyRequest, createKeyServiceError } from './key-service-error.ts'

/** Azure's `CryptographyClient`, whose module is loaded when a key is used first. */
type AzureClient = Awaited<ReturnType<typeof openAzureClient>>

const thrownForm = z.object({
  name: z.string(),
  statusCode: z.number().optional(),
  details: z
    .object({
      error: z.object({ innererror: z.object({ code: z.string() }).optional() }).optional(),
    })
    .optional(),
})

/** Names of the login errors of `@azure/identity`, which occur before any request to the vault. */
const loginErrorNames: ReadonlySet<string> = new Set([
  'CredentialUnavailableError',
  'AggregateAuthenticationError',
  'AuthenticationError',
  'AuthenticationRequiredError',
])

/**
 * Creates a keeper that encrypts data keys with RSA keys of Azure Key Vault. The sealed key is the
 * ciphertext as URL-safe base64 text, as Pulumi stores it. A sealed key without this inner
 * encoding, as some versions of Pulumi wrote it, is decrypted too. Credentials come from Azure's
 * default chain. Its methods throw the errors of `createDefaultKeyKeeper`.
 */
export function createAzureKeeper(): KeyKeeper {
  const clients = createClientCache(openAzureClient)
  async function send<T>(
    url: string,
    action: KeyRequest['action'],
    run: (
      client: AzureClient,
      algorithm: ReturnType<typeof parseAzureKeyUrl>['algorithm'],
    ) => Promise<T>,
  ): Promise<T> {
    const { keyId, algorithm } = parseAzureKeyUrl(url)
    try {
      return await run(await clients.get(keyId), algorithm)
    } catch (thrown) {
      throw createAzureError(thrown, { key: keyId, action })
    }
  }
  return {
    wrap: (url, key) =>
      send(url, 'encrypt', async (client, algorithm) => {
        const { result } = await client.encrypt({ algorithm, plaintext: key })
        return Buffer.from(Buffer.from(result).toString('base64url'), 'utf8')
      }),
    unwrap: (url, sealedKey) =>
      send(url, 'decrypt', async (client, algorithm) => {
        const ciphertext = removeInnerEncoding(sealedKey)
        return (await client.decrypt({ algorithm, ciphertext })).result
      }),
  }
}

async function openAzureClient(keyId: string) {
  const [{ DefaultAzureCredential }, { CryptographyClient }] = await Promise.all([
    import('@azure/identity'),
    import('@azure/keyvault-keys'),
  ])
  return new CryptographyClient(keyId, new DefaultAzureCredential())
}

function removeInnerEncoding(sealedKey: Uint8Array): Uint8Array {
  const text = Buffer.from(sealedKey).toString('latin1')
  return /^[\w-]+$/.test(text) ? Buffer.from(text, 'base64url') : sealedKey
}

function createAzureError(thrown: unknown, request: KeyRequest): Error {
  const { name = '', statusCode, details } = thrownForm.safeParse(thrown).data ?? {}
  if (loginErrorNames.has(name))
    return createKeyServiceError('no-credentials', request, firstLineOf(thrown))
  if (statusCode === undefined) {
    // The client checks key and algorithm before it sends a request, and throws a plain Error.
    if (name === 'Error')
      return createError('SECRETS_KEY_UNUSABLE', `${request.key}: ${messageOf(thrown)}`)
    return createKeyServiceError('unavailable', request, messageOf(thrown))
  }
  const isDisabled = details?.error?.innererror?.code === 'KeyDisabled'
  const failure = isDisabled ? 'unusable' : keyFailureOf(statusCode, request)
  return createKeyServiceError(failure, request, firstLineOf(thrown))
}

/** Returns the first line of a message. A message of the login chain has one line per attempt. */
function firstLineOf(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0] ?? ''
}
