import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceStack } from '../../../secrets/service-stack.ts'
import { postJson } from '../post-json.ts'

/** The texts of one request, and the login for it. Plain data, which threads can exchange. */
export interface CipherRequest {
  readonly action: 'encrypt' | 'decrypt'
  /** Plaintexts, or ciphertexts in base64. */
  readonly texts: readonly string[]
  readonly stack: ServiceStack
  readonly token: string
  /** The variables that name the proxy. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The answers in the order of the request's texts, or the refusal after the last attempt. */
export type CipherReply =
  | { readonly kind: 'answered'; readonly texts: readonly string[] }
  /** `status`: 0 without a response. `reason`: the message of the service. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }

/** Maximum number of texts in one request. */
const batchSize = 1_000

/** The pauses before the second, third and fourth attempt of a request. */
const pausesMs = [1_000, 2_000, 4_000]

const malformedReply = {
  kind: 'refused',
  status: 0,
  reason: 'the response does not have the format of the service',
} as const

/**
 * Encrypts or decrypts texts in batches of 1,000 (docs/spec/secrets.md#service-manager). A service
 * without batches gets one request for each text. Requests without a response, and those with the
 * status of an overload or outage, are repeated.
 */
export async function callService(request: CipherRequest): Promise<CipherReply> {
  const texts: string[] = []
  for (let start = 0; start < request.texts.length; start += batchSize) {
    const reply = await callWithBatch({
      ...request,
      texts: request.texts.slice(start, start + batchSize),
    })
    if (reply.kind === 'refused') return reply
    texts.push(...reply.texts)
  }
  return { kind: 'answered', texts }
}

async function callWithBatch(request: CipherRequest): Promise<CipherReply> {
  const { action } = request
  const encodedTexts = request.texts.map(text => (action === 'encrypt' ? toBase64(text) : text))
  // One text needs no batch, and old services do not support batches.
  const [onlyText = ''] = encodedTexts
  if (encodedTexts.length === 1) return callWithText(request, onlyText)
  const field = action === 'encrypt' ? 'plaintexts' : 'ciphertexts'
  const { status, json } = await send(request, `batch-${action}`, { [field]: encodedTexts })
  if (status === 404) return callWithEachText(request, encodedTexts)
  if (status !== 200) return { kind: 'refused', status, reason: messageOfJson(json) }
  const ciphertexts = readField(json, 'ciphertexts')
  const plaintexts = readField(json, 'plaintexts')
  const answers =
    action === 'encrypt'
      ? encodedTexts.map((_, index) => readField(ciphertexts, String(index)))
      : encodedTexts.map(encodedText => readField(plaintexts, encodedText))
  return toReply(action, answers)
}

async function callWithEachText(
  request: CipherRequest,
  encodedTexts: readonly string[],
): Promise<CipherReply> {
  const texts: string[] = []
  for (const encodedText of encodedTexts) {
    const reply = await callWithText(request, encodedText)
    if (reply.kind === 'refused') return reply
    texts.push(...reply.texts)
  }
  return { kind: 'answered', texts }
}

async function callWithText(request: CipherRequest, encodedText: string): Promise<CipherReply> {
  const { action } = request
  const [requestField, responseField] =
    action === 'encrypt' ? ['plaintext', 'ciphertext'] : ['ciphertext', 'plaintext']
  const { status, json } = await send(request, action, { [requestField]: encodedText })
  if (status !== 200) return { kind: 'refused', status, reason: messageOfJson(json) }
  return toReply(action, [readField(json, responseField)])
}

function toReply(action: CipherRequest['action'], answers: readonly unknown[]): CipherReply {
  const read = action === 'encrypt' ? (text: string): string | undefined => text : decodeBase64
  const texts = answers
    .map(answer => (typeof answer === 'string' ? read(answer) : undefined))
    .filter(text => text !== undefined)
  return texts.length === answers.length ? { kind: 'answered', texts } : malformedReply
}

async function send(
  { stack, token, env }: CipherRequest,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const names = [stack.owner, stack.project, stack.stack].map(encodeURIComponent).join('/')
  const url = new URL(`${stack.url}/api/stacks/${names}/${path}`)
  const headers = { authorization: `token ${token}`, accept: 'application/vnd.pulumi+9' }
  const isCompressed = path.startsWith('batch-')
  for (let attempt = 0; ; attempt += 1) {
    const reply = await postJson(url, { headers, body, env, isCompressed }).catch(
      (thrown: unknown) => ({ status: 0, json: { message: String(thrown) } }),
    )
    const isTemporary = reply.status === 0 || reply.status === 429 || reply.status >= 500
    const pauseMs = pausesMs[attempt]
    if (!isTemporary || pauseMs === undefined) return reply
    await sleep(pauseMs)
  }
}

function messageOfJson(json: unknown): string {
  const message = readField(json, 'message')
  return typeof message === 'string' ? message : ''
}

function readField(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, name)
    ? Reflect.get(json, name)
    : undefined
}

const toBase64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

/**
 * Returns the text of a plaintext in base64, or undefined for any other answer. A damaged answer
 * must never become another secret.
 */
function decodeBase64(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return undefined
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
