import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createError, messageOf } from '../../errors/error.ts'
import { type JsonReply, postJson } from './post-json.ts'

/** A client of Vault's HTTP API. */
export interface VaultClient {
  /**
   * Sends JSON to a path below `/v1/`. Repeats a request that got no response, or a status that may
   * be temporary. Throws SECRETS_CREDENTIALS_MISSING, and the errors of Node when there is no
   * response.
   */
  readonly post: (path: string, body: object) => Promise<JsonReply>
}

type Env = Readonly<Record<string, string | undefined>>

/** The pauses before the second and the third attempt of a request. */
const pausesMs = [500, 1_500]

/**
 * Creates a client of the server in VAULT_SERVER_URL or VAULT_ADDR, with the token in
 * VAULT_SERVER_TOKEN or VAULT_TOKEN. These are the variables that Pulumi reads, in this order.
 * VAULT_NAMESPACE, VAULT_CACERT and HTTPS_PROXY apply too.
 */
export function createVaultClient(env: Env): VaultClient {
  return {
    post: async (path, body) => {
      const { address, token } = readVaultLogin(env)
      const headers = {
        'x-vault-request': 'true',
        'x-vault-token': token,
        ...(env['VAULT_NAMESPACE'] ? { 'x-vault-namespace': env['VAULT_NAMESPACE'] } : {}),
      }
      const url = new URL(`${address.pathname.replace(/\/+$/, '')}/v1/${path}`, address)
      const file = env['VAULT_CACERT'] || ''
      const certificates = file === '' ? undefined : readCertificates(file)
      const send = () => postJson(url, { headers, body, env, certificates })
      for (const pauseMs of pausesMs) {
        const response = await send().catch(() => undefined)
        if (response !== undefined && !isTemporary(response.status)) return response
        await sleep(pauseMs)
      }
      return send()
    },
  }
}

/**
 * Reports whether a repeated request may succeed: after an overload, an outage, or with 412, which
 * means that the server lacks recently written data.
 */
function isTemporary(status: number): boolean {
  return status === 412 || status === 429 || status >= 500
}

function readVaultLogin(env: Env): { readonly address: URL; readonly token: string } {
  const createLoginError = (message: string) =>
    createError('SECRETS_CREDENTIALS_MISSING', message, {
      hint: 'Set VAULT_ADDR to the address of the server, and VAULT_TOKEN to a token of that server.',
    })
  const addressText = env['VAULT_SERVER_URL'] || env['VAULT_ADDR'] || ''
  if (addressText === '') throw createLoginError('neither VAULT_SERVER_URL nor VAULT_ADDR is set')
  const address = URL.canParse(addressText) ? new URL(addressText) : undefined
  if (address === undefined || !['http:', 'https:'].includes(address.protocol))
    throw createLoginError(`the address of Vault '${addressText}' is not an http or https address`)
  const token = env['VAULT_SERVER_TOKEN'] || env['VAULT_TOKEN'] || ''
  if (token === '') throw createLoginError('neither VAULT_SERVER_TOKEN nor VAULT_TOKEN is set')
  return { address, token }
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const message = `cannot read the certificates of VAULT_CACERT: ${messageOf(cause)}`
    throw createError('SECRETS_CREDENTIALS_MISSING', message, { cause })
  }
}
