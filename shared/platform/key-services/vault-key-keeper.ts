import * as z from 'zod'
import { DeployError, createError, messageOf } from '../../errors/error.ts'
import type { KeyKeeper } from '../../secrets/cloud-secrets.ts'
import { parseVaultKeyUrl, type VaultKeyUrl } from '../../secrets/parse-key-url.ts'
import { type KeyRequest, keyFailureOf, createKeyServiceError } from './key-service-error.ts'
import type { JsonReply } from './post-json.ts'
import { createVaultClient } from './vault-client.ts'
import { parseForm } from '../../values/parse-form.ts'

const encryptedForm = z.object({ data: z.object({ ciphertext: z.string().min(1) }) })
const decryptedForm = z.object({ data: z.object({ plaintext: z.base64() }) })
const refusalForm = z.object({ errors: z.array(z.string()) })

/**
 * Creates a keeper that encrypts data keys with the transit engine of Vault or OpenBao. The sealed
 * key is the text of Vault, `vault:v<version>:<base64>`. Server and token come from the variables
 * that Pulumi reads. The methods of the keeper throw the errors of `createDefaultKeyKeeper`.
 */
export function createVaultKeeper(env: Readonly<Record<string, string | undefined>>): KeyKeeper {
  const client = createVaultClient(env)
  async function send<T>(
    { engine, keyName: key }: VaultKeyUrl,
    action: KeyRequest['action'],
    {
      body,
      form,
    }: { readonly body: Readonly<Record<string, string>>; readonly form: z.ZodType<T> },
  ): Promise<T> {
    const request = { key, action }
    const segments = [...engine.split('/'), action, ...key.split('/')]
    const path = segments.map(encodeURIComponent).join('/')
    const response = await client.post(path, body).catch((thrown: unknown) => {
      if (thrown instanceof DeployError) throw thrown
      throw createKeyServiceError('unavailable', request, messageOf(thrown))
    })
    const { status } = response
    if (status !== 200)
      throw createKeyServiceError(keyFailureOf(status, request), request, reasonOf(response))
    const parsed = parseForm(form, response.json)
    if (parsed.success) return parsed.data
    throw createKeyServiceError(
      'unavailable',
      request,
      'the response does not have the format of Vault',
    )
  }
  return {
    wrap: async (url, key) => {
      const body = { plaintext: Buffer.from(key).toString('base64') }
      const { data } = await send(parseVaultKeyUrl(url), 'encrypt', { body, form: encryptedForm })
      return Buffer.from(data.ciphertext, 'utf8')
    },
    unwrap: async (url, sealedKey) => {
      const ciphertext = Buffer.from(sealedKey).toString('utf8')
      if (!ciphertext.startsWith('vault:'))
        throw createError(
          'SECRETS_MALFORMED',
          'the data key of this stack is not encrypted by Vault',
        )
      const body = { ciphertext }
      const { data } = await send(parseVaultKeyUrl(url), 'decrypt', { body, form: decryptedForm })
      return Buffer.from(data.plaintext, 'base64')
    },
  }
}

/** Returns the status of a refusal with the messages of Vault. */
function reasonOf({ status, json }: JsonReply): string {
  const parsed = parseForm(refusalForm, json)
  const messages = parsed.success ? parsed.data.errors.join(', ') : ''
  return messages === '' ? `status ${status}` : `status ${status}, ${messages}`
}
