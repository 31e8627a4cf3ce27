import { apiLimits } from '../../shared/config/api-limits.ts'
import { createError } from '../../shared/errors/error.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import {
  createTokenSecret,
  lifetimeMsOf,
  parseToken,
  putToken,
  type TokenDocument,
  tokenKeyOf,
  tokenViewOf,
} from '../../shared/api/token-document.ts'
import type { IssuedToken, TokenDeps } from '../../shared/api/issue-token.ts'

/**
 * Gives a token a new secret, and its whole lifetime again. Earlier secrets remain valid for at
 * most `overlapSeconds`. One write replaces the document, so one of the secrets is always valid. A
 * repetition after a lost response creates another secret, and the lost secret remains valid for
 * the overlap. Throws DOCUMENT_UNKNOWN, DOCUMENT_CHANGED, DOCUMENT_INVALID.
 */
export async function rotateToken(
  { documents, random, clock }: TokenDeps,
  id: string,
  overlapSeconds: number,
): Promise<IssuedToken> {
  const stored = await documents.get(tokenKeyOf(id))
  if (stored === undefined)
    throw createError('DOCUMENT_UNKNOWN', `the token '${id}' does not exist`)
  const { token, hash } = createTokenSecret(random, id)
  const now = clock.now()
  const overlapEnd = (now + overlapSeconds * 1_000) as EpochMs
  const document = replaceSecret(parseToken(stored), { hash, now, overlapEnd })
  if ((await putToken(documents, { id, version: stored.version, document })) === false)
    throw createError('DOCUMENT_CHANGED', `the token '${id}' was changed concurrently`)
  return { ...tokenViewOf(id, document), token }
}

/**
 * Returns a token with a new secret. The replaced secrets end with the overlap, or earlier if they
 * would have ended earlier. Pure.
 */
function replaceSecret(
  token: TokenDocument,
  { hash, now, overlapEnd }: { readonly hash: string; now: EpochMs; overlapEnd: EpochMs },
): TokenDocument {
  const lifetimeMs = lifetimeMsOf(token)
  const replacedSecrets = [
    { hash: token.hash, validUntil: token.expiresAt ?? overlapEnd },
    ...(token.replaced ?? []),
  ]
  return {
    ...token,
    hash,
    rotatedAt: now,
    ...(lifetimeMs === undefined ? {} : { expiresAt: (now + lifetimeMs) as EpochMs }),
    replaced: replacedSecrets.slice(0, apiLimits.replacedSecretsMax).map(secret => ({
      hash: secret.hash,
      validUntil: secret.validUntil < overlapEnd ? secret.validUntil : overlapEnd,
    })),
  }
}
