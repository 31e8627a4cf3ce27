import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createError } from '../../../shared/errors/error.ts'
import { createAwsKeeper } from '../../../shared/platform/key-services/aws-key-keeper.ts'
import { createGcpKeeper } from '../../../shared/platform/key-services/gcp-key-keeper.ts'
import { callService } from '../../../shared/platform/key-services/service/service-client.ts'
import { createVaultKeeper } from '../../../shared/platform/key-services/vault-key-keeper.ts'
import type { KeyKeeper } from '../../../shared/secrets/cloud-secrets.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

let reply = { status: 200, body: Buffer.alloc(0) }

/** A server whose responses all have the reply under test. */
const server = createServer((request, response) => {
  request.resume()
  const type = 'application/x-amz-json-1.1'
  response.writeHead(reply.status, { 'content-type': type }).end(reply.body)
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
server.unref()
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const key = new Uint8Array(32)
const keeperEnv = {
  VAULT_ADDR: address,
  VAULT_TOKEN: 'token',
  CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS: address,
  GOOGLE_OAUTH_ACCESS_TOKEN: 'token',
  ANTICHAIN_KMS_ENDPOINT: address,
  AWS_REGION: 'eu-central-1',
}
// The chain of credentials of the SDK reads the variables of the process.
Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' })

/** The keepers of data keys with the URL of a key, by the names of their services. */
const keepers: Readonly<Record<string, readonly [url: string, keeper: KeyKeeper]>> = {
  awskms: [
    'awskms:///arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000',
    createAwsKeeper(keeperEnv),
  ],
  gcpkms: [
    'gcpkms://projects/p/locations/global/keyRings/r/cryptoKeys/k',
    createGcpKeeper(keeperEnv),
  ],
  hashivault: ['hashivault://k', createVaultKeeper(keeperEnv)],
}

/** Wraps or unwraps a data key. */
async function callKeeper([url, keeper]: readonly [string, KeyKeeper], action: string) {
  if (action === 'unwrap') {
    const unwrapped = await keeper.unwrap(url, Buffer.from('vault:v1:abc'))
    requireLaw(unwrapped instanceof Uint8Array, 'an unwrapped key has bytes')
    return
  }
  const wrapped = await keeper.wrap(url, key)
  requireLaw(wrapped instanceof Uint8Array && wrapped.length > 0, 'a wrapped key has bytes')
}

const stack = { url: address, owner: 'o', project: 'p', stack: 's' }
const ciphertexts = ['YQ==', 'Yg==']

/** Encrypts or decrypts texts with the service of Pulumi. `batch-`: two texts, otherwise one. */
async function callPulumi(name: string): Promise<void> {
  const action = name.endsWith('encrypt') ? 'encrypt' : 'decrypt'
  const texts = ciphertexts.slice(0, name.startsWith('batch-') ? 2 : 1)
  const result = await callService({ action, texts, stack, token: 'token', env: {} })
  if (result.kind === 'refused')
    throw createError('SECRETS_SERVICE_UNAVAILABLE', result.reason.slice(0, 300))
  requireLaw(result.texts.length === texts.length, 'the service answers each text')
  const sent = reply.body.toString('utf8')
  const isSent = (text: string): boolean =>
    sent.includes(Buffer.from(text, 'utf8').toString('base64'))
  requireLaw(action === 'encrypt' || result.texts.every(isSent), 'a plaintext is what was sent')
}

/**
 * Replies of key services: a line with the service, the call and the status, and the body. The real
 * clients call a server on loopback. The replies of Azure are missing, because its client accepts
 * only the addresses of Azure.
 */
export const keyServiceRepliesTarget: FuzzTarget = {
  async decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const [service = '', action = '', status] = bytes.toString('utf8', 0, lineEnd).split(' ')
    // Clients repeat a request after any other status, which would take seconds.
    const isKnown = ['200', '400', '403', '404'].includes(status ?? '')
    reply = { status: isKnown ? Number(status) : 200, body: bytes.subarray(lineEnd + 1) }
    if (service === 'pulumi') return callPulumi(action)
    const keeper = Object.hasOwn(keepers, service) ? keepers[service] : undefined
    if (keeper === undefined)
      throw createError('SECRETS_URL_INVALID', 'the input has no key service')
    return callKeeper(keeper, action)
  },
  close: async () => {
    server.closeAllConnections()
    server.close()
  },
}
