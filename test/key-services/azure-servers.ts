import {
  constants,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomUUID,
} from 'node:crypto'
import type { CloudRequest, CloudResponse, CloudServer } from './loopback-cloud.ts'

/** The servers of Azure: the login of Entra ID, and Key Vault with RSA keys. */
export interface AzureServers {
  readonly servers: readonly CloudServer[]
  /** The variables with the credentials of an application. */
  readonly env: Readonly<Record<string, string>>
  readonly setDenied: (isDenied: boolean) => void
}

const tenant = '11111111-2222-3333-4444-555555555555'
const loginHost = 'login.microsoftonline.com'
const clientSecret = 'azure-client-word'
const keySize = 2048

/** Creates the servers. Each name of `keyNames` is a key in every vault. */
export function createAzureServers(keyNames: readonly string[]): AzureServers {
  const token = `token-${randomUUID()}`
  const keys = new Map(
    keyNames.map(name => [name, generateKeyPairSync('rsa', { modulusLength: keySize })] as const),
  )
  let isDenied = false
  function answerVault({ method, host, path, authorization, body }: CloudRequest): CloudResponse {
    if (authorization !== `Bearer ${token}`)
      return {
        status: 401,
        json: { error: { code: 'Unauthorized', message: 'AKV10000' } },
        headers: {
          'www-authenticate': `Bearer authorization="https://${loginHost}/${tenant}", resource="https://vault.azure.net"`,
        },
      }
    if (isDenied) return refuse(403, 'Forbidden', 'The user does not have permission')
    const [, collection, name = '', ...others] = path.split('/')
    const pair = keys.get(name)
    if (collection !== 'keys' || pair === undefined)
      return refuse(
        404,
        'KeyNotFound',
        `A key with (name/id) ${name} was not found in this key vault`,
      )
    const keyId = `https://${host}/keys/${name}/0a1b2c`
    if (method === 'GET') {
      const { n, e } = pair.publicKey.export({ format: 'jwk' })
      const key = { kid: keyId, kty: 'RSA', key_ops: ['encrypt', 'decrypt'], n, e }
      return { status: 200, json: { key, attributes: { enabled: true } } }
    }
    const action = others.at(-1)
    const { alg, value } = JSON.parse(body) as { alg: string; value: string }
    if (alg !== 'RSA-OAEP-256') return refuse(400, 'BadParameter', `alg ${alg} is not supported`)
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const bytes = Buffer.from(value, 'base64url')
    try {
      const result =
        action === 'encrypt'
          ? publicEncrypt({ key: pair.publicKey, ...padding }, bytes)
          : privateDecrypt({ key: pair.privateKey, ...padding }, bytes)
      return { status: 200, json: { kid: keyId, value: result.toString('base64url') } }
    } catch {
      return refuse(400, 'BadParameter', 'The parameter is incorrect.')
    }
  }
  function answerLogin({ path, body }: CloudRequest): CloudResponse {
    const origin = `https://${loginHost}/${tenant}`
    if (path.endsWith('/discovery/instance'))
      return {
        status: 200,
        json: {
          tenant_discovery_endpoint: `${origin}/v2.0/.well-known/openid-configuration`,
          metadata: [
            {
              preferred_network: loginHost,
              preferred_cache: 'login.windows.net',
              aliases: [loginHost],
            },
          ],
        },
      }
    if (path.endsWith('/openid-configuration'))
      return {
        status: 200,
        json: {
          issuer: `${origin}/v2.0`,
          authorization_endpoint: `${origin}/oauth2/v2.0/authorize`,
          token_endpoint: `${origin}/oauth2/v2.0/token`,
          jwks_uri: `${origin}/discovery/v2.0/keys`,
        },
      }
    const form = new URLSearchParams(body)
    const isValid =
      form.get('client_secret') === clientSecret &&
      form.get('scope')?.includes('https://vault.azure.net/.default') === true
    return isValid
      ? { status: 200, json: { token_type: 'Bearer', expires_in: 3600, access_token: token } }
      : { status: 401, json: { error: 'invalid_client', error_description: 'AADSTS7000215' } }
  }
  return {
    servers: [
      { hosts: ['*.vault.azure.net'], answer: answerVault },
      { hosts: [loginHost], answer: answerLogin },
    ],
    env: {
      AZURE_TENANT_ID: tenant,
      AZURE_CLIENT_ID: '66666666-7777-8888-9999-000000000000',
      AZURE_CLIENT_SECRET: clientSecret,
    },
    setDenied: value => {
      isDenied = value
    },
  }
}

function refuse(status: number, code: string, message: string): CloudResponse {
  return { status, json: { error: { code, message } } }
}
