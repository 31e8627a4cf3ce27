import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { error, hasCode } from '../../shared/errors/error.ts'
import type { DocumentsPort } from '../../shared/ports/documents.ts'
import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { type Caller, roles } from './authorization.ts'
import { federationKeyOf } from './federation/federation-rule.ts'
import {
  createTokenId,
  createTokenSecret,
  parseToken,
  parseTokenText,
  putToken,
  type TokenDocument,
  tokenKeyOf,
  tokenStacksForm,
  type TokenView,
  tokenViewOf,
} from './token-document.ts'

/** The days until a token expires, or `never` for a token that is valid until it is revoked. */
const tokenDaysForm = z.union([z.int().min(1).max(apiLimits.tokenDaysMax), z.literal('never')])

/** The days until a token expires. */
export type TokenDays = z.infer<typeof tokenDaysForm>

/** The request that creates a token. */
export const tokenDraft = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.@ -]{1,100}$/, 'must be 1 to 100 letters, digits, spaces, _, ., @ and -'),
  role: z.enum(roles),
  /** Absent: all stacks. */
  stacks: tokenStacksForm.optional(),
  /** Absent: `tokenDaysDefault`. */
  days: tokenDaysForm.optional(),
})

/** The ports for creating and checking tokens. */
export interface TokenDeps {
  readonly documents: DocumentsPort
  readonly random: Pick<RandomPort, 'bytes'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** A token whose text is shown once. */
export type IssuedToken = TokenView & { readonly token: string }

const dayMs = 86_400_000

/** Creates a token. Its text is returned once and never again. */
export async function createToken(
  deps: TokenDeps,
  { name, role, stacks, days = apiLimits.tokenDaysDefault }: z.infer<typeof tokenDraft>,
): Promise<IssuedToken> {
  const lifetimeMs = days === 'never' ? undefined : days * dayMs
  const permissions = { name, role, stacks: stacks ?? ('*' as const) }
  return issueToken(deps, { id: createTokenId(deps.random), permissions, lifetimeMs })
}

/** Stores a new token with this id. `lifetimeMs` is undefined for a token that does not expire. */
export async function issueToken(
  { documents, random, clock }: TokenDeps,
  {
    id,
    permissions,
    lifetimeMs,
  }: {
    readonly id: string
    readonly permissions: Pick<TokenDocument, 'name' | 'role' | 'stacks' | 'rule'>
    readonly lifetimeMs: number | undefined
  },
): Promise<IssuedToken> {
  const { token, hash } = createTokenSecret(random, id)
  const createdAt = clock.now()
  const expiry = lifetimeMs === undefined ? {} : { expiresAt: (createdAt + lifetimeMs) as EpochMs }
  const document = { ...permissions, createdAt, ...expiry, hash }
  await putToken(documents, { id, version: 0, document })
  return { ...tokenViewOf(id, document), token }
}

/**
 * Returns the caller to whom the text of a token belongs. Throws API_TOKEN_EXPIRED for a secret
 * that was valid earlier. Throws API_TOKEN_REFUSED with the same message for every other reason,
 * such as a changed or removed rule of an exchanged token.
 */
export async function authenticate(
  { documents, clock }: Pick<TokenDeps, 'documents' | 'clock'>,
  tokenText: string,
): Promise<Caller> {
  const parsed = parseTokenText(tokenText)
  if (parsed === undefined) throw tokenRefusedError()
  const { id, hash } = parsed
  const stored = await documents.get(tokenKeyOf(id))
  if (stored === undefined) throw tokenRefusedError()
  const document = parseToken(stored)
  requireValidSecret(document, hash, clock.now())
  await requireUnchangedRule(documents, document)
  const { name, role, stacks } = document
  return { id, name, role, stacks }
}

/** Reports whether the text of a token is valid. Throws the errors of the store. */
export async function isTokenValid(
  deps: Pick<TokenDeps, 'documents' | 'clock'>,
  tokenText: string,
): Promise<boolean> {
  try {
    await authenticate(deps, tokenText)
    return true
  } catch (thrown) {
    if (hasCode(thrown, 'API_TOKEN_REFUSED') || hasCode(thrown, 'API_TOKEN_EXPIRED')) return false
    throw thrown
  }
}

/** Throws API_TOKEN_REFUSED for an unknown secret, and API_TOKEN_EXPIRED for an earlier one. */
function requireValidSecret(token: TokenDocument, hash: string, now: EpochMs): void {
  const { expiresAt, replaced = [] } = token
  const name = toPrintable(token.name)
  if (isSameHash(token.hash, hash)) {
    if (expiresAt === undefined || now < expiresAt) return
    throw error('API_TOKEN_EXPIRED', `the token '${name}' expired at ${formatTime(expiresAt)}`)
  }
  const earlier = replaced.find(secret => isSameHash(secret.hash, hash))
  if (earlier === undefined) throw tokenRefusedError()
  if (now < earlier.validUntil) return
  throw error(
    'API_TOKEN_EXPIRED',
    `the token '${name}' was rotated, and its earlier secret ended at ${formatTime(earlier.validUntil)}`,
  )
}

/** Throws API_TOKEN_REFUSED for a token whose federation rule was changed or removed. */
async function requireUnchangedRule(
  documents: Pick<DocumentsPort, 'get'>,
  { rule }: TokenDocument,
): Promise<void> {
  if (rule === undefined) return
  const stored = await documents.get(federationKeyOf(rule.name))
  if (stored?.version !== rule.version) throw tokenRefusedError()
}

function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
}

function formatTime(ms: EpochMs): string {
  return new Date(ms).toISOString()
}

function tokenRefusedError(): Error {
  return error('API_TOKEN_REFUSED', 'the token is not valid')
}
