import * as z from 'zod'
import { createError, messageOf } from '../../errors/error.ts'
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { parseGcpKeyUrl } from '../../secrets/parse-key-url.ts'
import { createClientCache } from './client-cache.ts'
import { type KeyRequest, keyFailureOf, createKeyServiceError } from './key-service-error.ts'
import { parseForm } from '../../values/parse-form.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The part of a client of `google-auth-library` that this file uses. */
interface GoogleClient {
  readonly getAccessToken: () => Promise<{ token?: string | null }>
  readonly request: (options: object) => Promise<{ readonly data: unknown }>
}

const scope = 'https://www.googleapis.com/auth/cloudkms'
const encryptedForm = z.object({ ciphertext: z.base64().min(1) })
const decryptedForm = z.object({ plaintext: z.base64() })
const refusalForm = z.object({
  error: z.object({ message: z.string(), status: z.string().default('') }),
})
const thrownForm = z.object({
  response: z.object({ status: z.number(), data: z.unknown() }).optional(),
})

/**
 * Creates a keeper that encrypts data keys with Cloud KMS. A sealed key consists of the bytes of
 * the ciphertext that Cloud KMS returns. As in Pulumi, credentials come from GOOGLE_CREDENTIALS,
 * otherwise from GOOGLE_OAUTH_ACCESS_TOKEN, otherwise from Google's application default
 * credentials. Its methods throw the errors of `createDefaultKeyKeeper`.
 */
export function createGcpKeeper(env: Env): KeyKeeper {
  const clients = createClientCache((): Promise<GoogleClient> => openGoogleClient(env))
  async function requireClient(request: KeyRequest): Promise<GoogleClient> {
    try {
      const client = await clients.get(scope)
      // Without this call, a failed login could be reported as a refusal of the key.
      await client.getAccessToken()
      return client
    } catch (thrown) {
      clients.forget(scope)
      throw createKeyServiceError('no-credentials', request, refusalOf(thrown).reason)
    }
  }
  async function send<T>(
    url: string,
    action: KeyRequest['action'],
    {
      body,
      form,
    }: { readonly body: Readonly<Record<string, string>>; readonly form: z.ZodType<T> },
  ): Promise<T> {
    const { keyName, authenticatedData } = parseGcpKeyUrl(url)
    const request = { key: keyName, action }
    const client = await requireClient(request)
    const data = {
      ...body,
      ...(authenticatedData === undefined
        ? {}
        : { additionalAuthenticatedData: authenticatedData }),
    }
    const response = await client
      .request({
        url: `${endpointOf(env)}/v1/${keyName}:${action}`,
        method: 'POST',
        data,
        responseType: 'json',
        retryConfig: { retry: 3, httpMethodsToRetry: ['POST'] },
      })
      .catch((thrown: unknown) => throwRefusal(thrown, request))
    const parsed = parseForm(form, response.data)
    if (parsed.success) return parsed.data
    throw createKeyServiceError(
      'unavailable',
      request,
      'the response does not have the format of Cloud KMS',
    )
  }
  return {
    wrap: async (url, key) => {
      const body = { plaintext: Buffer.from(key).toString('base64') }
      const { ciphertext } = await send(url, 'encrypt', { body, form: encryptedForm })
      return Buffer.from(ciphertext, 'base64')
    },
    unwrap: async (url, sealedKey) => {
      const body = { ciphertext: Buffer.from(sealedKey).toString('base64') }
      const { plaintext } = await send(url, 'decrypt', { body, form: decryptedForm })
      return Buffer.from(plaintext, 'base64')
    },
  }
}

/**
 * Returns the address of Cloud KMS. CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS, which gcloud reads
 * too, replaces the default address.
 */
function endpointOf(env: Env): string {
  const endpoint = env['CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS'] || ''
  return (endpoint === '' ? 'https://cloudkms.googleapis.com' : endpoint).replace(/\/+$/, '')
}

async function openGoogleClient(env: Env): Promise<GoogleClient> {
  const { GoogleAuth, OAuth2Client } = await import('google-auth-library')
  const credentialsText = env['GOOGLE_CREDENTIALS'] || ''
  const accessToken = env['GOOGLE_OAUTH_ACCESS_TOKEN'] || ''
  if (credentialsText === '' && accessToken !== '') {
    const client = new OAuth2Client()
    client.setCredentials({ access_token: accessToken })
    return client
  }
  if (credentialsText === '') return new GoogleAuth({ scopes: scope }).getClient()
  return new GoogleAuth({
    scopes: scope,
    credentials: parseCredentials(credentialsText),
  }).getClient()
}

/**
 * Parses the JSON of GOOGLE_CREDENTIALS. Throws SECRETS_CREDENTIALS_MISSING without the cause,
 * because the message of the parser contains a part of the text.
 */
function parseCredentials(text: string): object {
  try {
    return z.looseObject({ type: z.string() }).parse(JSON.parse(text))
  } catch {
    const message = 'GOOGLE_CREDENTIALS is not a JSON object with the `type` of the credentials'
    throw createError('SECRETS_CREDENTIALS_MISSING', message)
  }
}

function throwRefusal(thrown: unknown, request: KeyRequest): never {
  const { status, name, reason } = refusalOf(thrown)
  if (status === undefined) throw createKeyServiceError('unavailable', request, reason)
  const isUnusable = name === 'FAILED_PRECONDITION'
  throw createKeyServiceError(
    isUnusable ? 'unusable' : keyFailureOf(status, request),
    request,
    reason,
  )
}

/** Reads the response of a failed request: its HTTP status, and the name and text of the error. */
function refusalOf(thrown: unknown): {
  readonly status: number | undefined
  readonly name: string
  readonly reason: string
} {
  const response = parseForm(thrownForm, thrown).data?.response
  const refusal = parseForm(refusalForm, response?.data).data?.error
  return {
    status: response?.status,
    name: refusal?.status ?? '',
    reason: refusal?.message ?? messageOf(thrown),
  }
}
