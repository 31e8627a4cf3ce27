import {
  createCipheriv,
  createDecipheriv,
  createVerify,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import type { CloudRequest, CloudResponse, CloudServer } from './loopback-cloud.ts'

/** The servers of Google: the exchange of tokens, and Cloud KMS with symmetric keys. */
export interface GoogleServers {
  readonly servers: readonly CloudServer[]
  /** The variables with the credentials of a service account. */
  readonly env: Readonly<Record<string, string>>
  readonly setDenied: (isDenied: boolean) => void
}

const nonceBytes = 12
const tagBytes = 16
const keyScope = 'https://www.googleapis.com/auth/cloudkms'

/** Creates the servers with the keys of these names, `projects/…/cryptoKeys/…`. */
export function createGoogleServers(keyNames: readonly string[]): GoogleServers {
  const token = `ya29.${randomUUID()}`
  const keys = new Map(keyNames.map(name => [name, randomBytes(32)] as const))
  const account = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let isDenied = false
  function answerKms({ path, authorization, body }: CloudRequest): CloudResponse {
    if (authorization !== `Bearer ${token}`)
      return refuse(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
    const [name = '', action] = path.replace(/^\/v1\//, '').split(':')
    if (isDenied) return refuse(403, 'PERMISSION_DENIED', `Permission denied on resource '${name}'`)
    const key = keys.get(name)
    if (key === undefined) return refuse(404, 'NOT_FOUND', `CryptoKey ${name} not found.`)
    const fields = JSON.parse(body) as Readonly<Record<string, string | undefined>>
    const aad = Buffer.from(fields['additionalAuthenticatedData'] ?? '', 'base64')
    if (action === 'encrypt') {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad)
      const text = cipher.update(Buffer.from(fields['plaintext'] ?? '', 'base64'))
      const ciphertext = Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()])
      const version = `${name}/cryptoKeyVersions/1`
      return { status: 200, json: { name: version, ciphertext: ciphertext.toString('base64') } }
    }
    const sealed = Buffer.from(fields['ciphertext'] ?? '', 'base64')
    try {
      const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
      cipher.setAAD(aad).setAuthTag(sealed.subarray(-tagBytes))
      const plaintext = Buffer.concat([
        cipher.update(sealed.subarray(nonceBytes, -tagBytes)),
        cipher.final(),
      ])
      return { status: 200, json: { plaintext: plaintext.toString('base64') } }
    } catch {
      const message = 'Decryption failed: verify that `name` refers to the correct CryptoKey.'
      return refuse(400, 'INVALID_ARGUMENT', message)
    }
  }
  /** Exchanges a signed assertion of the service account for a token. */
  function answerTokens({ body }: CloudRequest): CloudResponse {
    const assertion = new URLSearchParams(body).get('assertion') ?? ''
    const [header = '', payload = '', signature = ''] = assertion.split('.')
    const isSigned = createVerify('sha256')
      .update(`${header}.${payload}`)
      .verify(account.publicKey, signature, 'base64url')
    const claims = Buffer.from(payload, 'base64url').toString()
    return isSigned && claims.includes(keyScope)
      ? { status: 200, json: { access_token: token, token_type: 'Bearer', expires_in: 3600 } }
      : {
          status: 400,
          json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
        }
  }
  const credentials = {
    type: 'service_account',
    project_id: 'p-1',
    private_key_id: 'id',
    private_key: account.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'pulumi@p-1.iam.gserviceaccount.com',
    client_id: '1',
    token_uri: 'https://oauth2.googleapis.com/token',
  }
  return {
    servers: [
      { hosts: ['cloudkms.googleapis.com'], answer: answerKms },
      { hosts: ['oauth2.googleapis.com'], answer: answerTokens },
    ],
    env: { GOOGLE_CREDENTIALS: JSON.stringify(credentials) },
    setDenied: value => {
      isDenied = value
    },
  }
}

function refuse(code: number, status: string, message: string): CloudResponse {
  return { status: code, json: { error: { code, message, status } } }
}
