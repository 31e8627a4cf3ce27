import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { DocumentKey, DocumentsPort } from '../../shared/ports/documents.ts'
import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { parseDocument } from '../../shared/triggers/webhooks/webhook-document.ts'
import { type Caller, roles } from './authorization.ts'

const stackPattern = z
  .string()
  .regex(/^[\w.-]{1,100}\/([\w.-]{1,100}|\*)$/, 'must be <project>/<stack>, or <project>/*')

/** The request that creates a token. */
export const tokenDraft = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.@ -]{1,100}$/, 'must be 1 to 100 letters, digits, spaces, _, ., @ and -'),
  role: z.enum(roles),
  /** Absent: all stacks. */
  stacks: z.array(stackPattern).min(1).max(apiLimits.tokenStacksMax).optional(),
  /** Days until it expires. Absent: it is valid until it is revoked. */
  days: z.int().min(1).max(3650).optional(),
})

/** A stored token. It contains only the SHA-256 of its secret. */
const tokenDocument = z.strictObject({
  name: z.string(),
  role: z.enum(roles),
  stacks: z.union([z.literal('*'), z.array(stackPattern)]),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
  createdAt: z.number().transform(ms => ms as EpochMs),
  expiresAt: z
    .number()
    .transform(ms => ms as EpochMs)
    .optional(),
})

/** A token without its secret, as the API returns it. */
export interface TokenView {
  readonly id: string
  readonly name: string
  readonly role: Caller['role']
  readonly stacks: Caller['stacks']
  readonly createdAt: EpochMs
  readonly expiresAt?: EpochMs
}

/** The ports for creating and checking tokens. */
export interface TokenDeps {
  readonly documents: DocumentsPort
  readonly random: RandomPort
  readonly clock: Pick<ClockPort, 'now'>
}

const idBytes = 8
const secretBytes = 32
const tokenFormat = /^act_([0-9a-f]{16})_([\w-]{43})$/

/** Returns the document key of a token id. */
export function tokenKeyOf(id: string): DocumentKey {
  return { kind: 'token', scope: '*', name: id }
}

/** Creates a token. Its text is returned once and never again. */
export async function createToken(
  { documents, random, clock }: TokenDeps,
  { name, role, stacks, days }: z.infer<typeof tokenDraft>,
): Promise<TokenView & { readonly token: string }> {
  const id = Buffer.from(random.bytes(idBytes)).toString('hex')
  const secret = Buffer.from(random.bytes(secretBytes)).toString('base64url')
  const createdAt = clock.now()
  const view = {
    name,
    role,
    stacks: stacks ?? ('*' as const),
    createdAt,
    ...(days === undefined ? {} : { expiresAt: (createdAt + days * 86_400_000) as EpochMs }),
  }
  await documents.put(tokenKeyOf(id), { ...view, hash: hashOf(secret) }, 0)
  return { id, ...view, token: `act_${id}_${secret}` }
}

/**
 * Returns the caller to whom the text of a token belongs. Throws API_TOKEN_REFUSED with the same
 * message for every reason.
 */
export async function authenticate(
  { documents, clock }: Pick<TokenDeps, 'documents' | 'clock'>,
  tokenText: string,
): Promise<Caller> {
  const [, id, secret] = tokenFormat.exec(tokenText) ?? []
  if (id === undefined || secret === undefined) throw tokenRefusedError()
  const document = await documents.get(tokenKeyOf(id))
  if (document === undefined) throw tokenRefusedError()
  const { hash, expiresAt, name, role, stacks } = parseDocument(tokenDocument, document)
  const hasSameHash = timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex'))
  if (!hasSameHash || (expiresAt !== undefined && expiresAt <= clock.now()))
    throw tokenRefusedError()
  return { id, name, role, stacks }
}

/** Returns a stored token without its secret. Throws DOCUMENT_INVALID. */
export function tokenViewOf(stored: {
  readonly key: DocumentKey
  readonly value: unknown
}): TokenView {
  const { hash: _, expiresAt, ...view } = parseDocument(tokenDocument, stored)
  return { id: stored.key.name, ...view, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

function tokenRefusedError(): Error {
  return error('API_TOKEN_REFUSED', 'the token is not valid')
}

/**
 * Returns the hash of a secret. A fast hash suffices, because 256 random bits cannot be guessed.
 */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
