import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer as readBuffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A server with the encrypt and decrypt routes of Pulumi's service API. Each stack has a key. */
export interface PulumiService {
  readonly address: string
  /** The paths of the requests so far. */
  readonly listPaths: () => readonly string[]
  /** The tokens of the requests so far. */
  readonly listTokens: () => readonly string[]
  readonly setDenied: (isDenied: boolean) => void
  /** Removes the routes for batches from the service. */
  readonly removeBatches: () => void
  readonly close: () => Promise<void>
}

/** The access token that the service accepts. */
export const serviceToken = 'pul-0123456789abcdef'
const nonceBytes = 12
const tagBytes = 16

/** Starts the service with stacks of these names, `<owner>/<project>/<stack>`. */
export async function startPulumiService(stacks: readonly string[]): Promise<PulumiService> {
  const keys = new Map(stacks.map(name => [name, randomBytes(32)] as const))
  const paths: string[] = []
  const tokens: string[] = []
  let isDenied = false
  let hasBatches = true
  function answer(path: string, token: string, body: unknown): [number, object] {
    if (token !== `token ${serviceToken}`) return refuse(401, 'Unauthorized: bad credentials')
    if (isDenied) return refuse(403, 'You do not have permission to decrypt')
    const [, owner, project, stack, action = ''] =
      /^\/api\/stacks\/([^/]+)\/([^/]+)\/([^/]+)\/([a-z-]+)$/.exec(path) ?? []
    const key = keys.get(`${owner}/${project}/${stack}`)
    if (key === undefined) return refuse(404, `Not Found: Stack '${owner}/${project}/${stack}'`)
    if (action.startsWith('batch-') && !hasBatches) return refuse(404, 'Not Found')
    const fields = body as Readonly<Record<string, string & readonly string[]>>
    const { plaintext = '', ciphertext = '', plaintexts = [], ciphertexts = [] } = fields
    try {
      if (action === 'encrypt') return [200, { ciphertext: encrypt(key, plaintext) }]
      if (action === 'decrypt') return [200, { plaintext: decrypt(key, ciphertext) }]
      if (action === 'batch-encrypt')
        return [200, { ciphertexts: plaintexts.map(text => encrypt(key, text)) }]
      const opened = ciphertexts.map(text => [text, decrypt(key, text)] as const)
      return [200, { plaintexts: Object.fromEntries(opened) }]
    } catch {
      return refuse(400, 'Bad Request: invalid ciphertext')
    }
  }
  const server = createServer((message, reply) => {
    void readBody(message).then(body => {
      const path = message.url ?? ''
      paths.push(path)
      tokens.push(message.headers.authorization ?? '')
      const [status, json] = answer(path, tokens.at(-1) ?? '', body)
      reply.writeHead(status, { 'content-type': 'application/json' })
      reply.end(JSON.stringify(json))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    listPaths: () => [...paths],
    listTokens: () => [...tokens],
    setDenied: value => {
      isDenied = value
    },
    removeBatches: () => {
      hasBatches = false
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function readBody(message: IncomingMessage): Promise<unknown> {
  const bytes = await readBuffer(message)
  const text = message.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
  return JSON.parse(text.toString()) as unknown
}

function refuse(code: number, message: string): [number, object] {
  return [code, { code, message }]
}

function encrypt(key: Buffer, plaintext: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const text = cipher.update(Buffer.from(plaintext, 'base64'))
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64')
}

function decrypt(key: Buffer, ciphertext: string): string {
  const sealed = Buffer.from(ciphertext, 'base64')
  const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
  cipher.setAuthTag(sealed.subarray(-tagBytes))
  const text = cipher.update(sealed.subarray(nonceBytes, -tagBytes))
  return Buffer.concat([text, cipher.final()]).toString('base64')
}
