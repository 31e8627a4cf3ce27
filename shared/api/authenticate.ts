import { timingSafeEqual } from 'node:crypto'
import { createError, hasCode } from '../errors/error.ts'
import type { DocumentsPort } from '../ports/documents.ts'
import type { ClockPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'
import { toPrintable } from '../triggers/printable.ts'
import type { Caller } from './authorization.ts'
import { federationKeyOf } from './federation/federation-rule.ts'
import { parseToken, parseTokenText, type TokenDocument, tokenKeyOf } from './token-document.ts'

/** The ports for checking tokens. */
interface AuthenticationDeps {
  readonly documents: Pick<DocumentsPort, 'get'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** Returns the token in the header `authorization` of a request. Throws API_TOKEN_MISSING. */
export function readBearerToken(header: string | undefined): string {
  const [, token] = /^Bearer +(\S{1,200})$/i.exec(header ?? '') ?? []
  if (token === undefined) throw createError('API_TOKEN_MISSING', 'the request has no token')
  return token
}

/**
 * Returns the caller to whom the text of a token belongs. Throws API_TOKEN_EXPIRED for a secret
 * that was valid earlier. For every other reason, such as a changed or removed rule of an exchanged
 * token, it throws API_TOKEN_REFUSED, always with the same message.
 */
export async function authenticate(
  { documents, clock }: AuthenticationDeps,
  tokenText: string,
): Promise<Caller> {
  const parsed = parseTokenText(tokenText)
  if (parsed === undefined) throw createTokenRefusedError()
  const { id, hash } = parsed
  const stored = await documents.get(tokenKeyOf(id))
  if (stored === undefined) throw createTokenRefusedError()
  const document = parseToken(stored)
  requireValidSecret(document, hash, clock.now())
  await requireUnchangedRule(documents, document)
  const { name, role, stacks } = document
  return { id, name, role, stacks }
}

/** Reports whether the text of a token is valid. Throws the errors of the store. */
export async function isTokenValid(deps: AuthenticationDeps, tokenText: string): Promise<boolean> {
  try {
    await authenticate(deps, tokenText)
    return true
  } catch (thrown) {
    if (hasCode(thrown, 'API_TOKEN_REFUSED') || hasCode(thrown, 'API_TOKEN_EXPIRED')) return false
    throw thrown
  }
}

/** Throws API_TOKEN_REFUSED for an unknown secret, and API_TOKEN_EXPIRED for an expired secret. */
function requireValidSecret(token: TokenDocument, hash: string, now: EpochMs): void {
  const { expiresAt, replaced = [] } = token
  const name = toPrintable(token.name)
  if (isSameHash(token.hash, hash)) {
    if (expiresAt === undefined || now < expiresAt) return
    throw createError(
      'API_TOKEN_EXPIRED',
      `the token '${name}' expired at ${formatTime(expiresAt)}`,
    )
  }
  const earlier = replaced.find(secret => isSameHash(secret.hash, hash))
  if (earlier === undefined) throw createTokenRefusedError()
  if (now < earlier.validUntil) return
  throw createError(
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
  if (stored?.version !== rule.version) throw createTokenRefusedError()
}

function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
}

function formatTime(ms: EpochMs): string {
  return new Date(ms).toISOString()
}

function createTokenRefusedError(): Error {
  return createError('API_TOKEN_REFUSED', 'the token is not valid')
}
