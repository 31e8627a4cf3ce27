import { readFileSync } from 'node:fs'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { error, messageOf } from '../../errors/error.ts'

/** A response of Vault. */
export interface VaultResponse {
  readonly status: number
  readonly body: string
}

/** A client of Vault's HTTP API. */
export interface VaultClient {
  /**
   * Sends JSON to a path below `/v1/`. Repeats a request that got no response, or one with a
   * status of an overload or outage. Throws SECRETS_CREDENTIALS_MISSING, and the errors of Node
   * when there is no response.
   */
  readonly post: (path: string, body: object) => Promise<VaultResponse>
}

type Env = Readonly<Record<string, string | undefined>>

const requestTimeoutMs = 30_000
const pausesMs = [500, 1_500]

/**
 * Creates a client of the server in VAULT_SERVER_URL or VAULT_ADDR, with the token in
 * VAULT_SERVER_TOKEN or VAULT_TOKEN. These are the variables that Pulumi reads, in this order.
 * VAULT_NAMESPACE and VAULT_CACERT count too, and the proxy of HTTPS_PROXY.
 */
export function createVaultClient(env: Env): VaultClient {
  return {
    post: async (path, body) => {
      const { address, token } = readVaultLogin(env)
      const headers = {
        'content-type': 'application/json',
        'x-vault-request': 'true',
        'x-vault-token': token,
        ...(env['VAULT_NAMESPACE'] ? { 'x-vault-namespace': env['VAULT_NAMESPACE'] } : {}),
      }
      const url = new URL(`${address.pathname.replace(/\/+$/, '')}/v1/${path}`, address)
      const send = () => sendOnce(url, headers, { body: JSON.stringify(body), env })
      for (const pauseMs of pausesMs) {
        const response = await send().catch(() => undefined)
        if (response !== undefined && !isTemporary(response.status)) return response
        await sleep(pauseMs)
      }
      return send()
    },
  }
}

function isTemporary(status: number): boolean {
  return status === 412 || status === 429 || status >= 500
}

function readVaultLogin(env: Env): { readonly address: URL; readonly token: string } {
  const missing = (message: string) =>
    error('SECRETS_CREDENTIALS_MISSING', message, {
      hint: 'Set VAULT_ADDR to the address of the server, and VAULT_TOKEN to a token of it.',
    })
  const addressText = env['VAULT_SERVER_URL'] || env['VAULT_ADDR'] || ''
  if (addressText === '') throw missing('neither VAULT_SERVER_URL nor VAULT_ADDR is set')
  const address = URL.canParse(addressText) ? new URL(addressText) : undefined
  if (address === undefined || !['http:', 'https:'].includes(address.protocol))
    throw missing(`the address of Vault '${addressText}' is not an http or https address`)
  const token = env['VAULT_SERVER_TOKEN'] || env['VAULT_TOKEN'] || ''
  if (token === '') throw missing('neither VAULT_SERVER_TOKEN nor VAULT_TOKEN is set')
  return { address, token }
}

function sendOnce(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { body, env }: { readonly body: string; readonly env: Env },
): Promise<VaultResponse> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      timeout: requestTimeoutMs,
      agent: createAgent(url, env),
    }
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('the server does not respond')))
    request.once('response', response => {
      readText(response).then(
        text => resolve({ status: response.statusCode ?? 0, body: text }),
        reject,
      )
    })
    request.end(body)
  })
}

function createAgent(url: URL, env: Env): HttpAgent {
  const proxyEnv = { ...env }
  if (url.protocol === 'http:') return new HttpAgent({ proxyEnv })
  const file = env['VAULT_CACERT'] || ''
  return new HttpsAgent({ proxyEnv, ...(file === '' ? {} : { ca: readCertificates(file) }) })
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const message = `cannot read the certificates of VAULT_CACERT: ${messageOf(cause)}`
    throw error('SECRETS_CREDENTIALS_MISSING', message, { cause })
  }
}
