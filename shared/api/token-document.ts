import { createHash } from 'node:crypto'
import * as z from 'zod'
import { apiLimits } from '../config/api-limits.ts'
import type { DocumentKey, DocumentsPort } from '../ports/documents.ts'
import type { RandomPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { roles } from './authorization.ts'

/** The stacks of a token: `<project>/<stack>` or `<project>/*`. */
export const tokenStacksForm = z
  .array(
    z
      .string()
      .regex(/^[\w.-]{1,100}\/([\w.-]{1,100}|\*)$/, 'must be <project>/<stack>, or <project>/*'),
  )
  .min(1)
  .max(apiLimits.tokenStacksMax)

const timeForm = z.number().transform(ms => ms as EpochMs)
const hashForm = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')

/** A stored token. Of each secret, it contains only the SHA-256. */
const tokenDocument = z.strictObject({
  name: z.string(),
  role: z.enum(roles),
  stacks: z.union([z.literal('*'), tokenStacksForm]),
  hash: hashForm,
  createdAt: timeForm,
  /** The time of the last rotation. */
  rotatedAt: timeForm.optional(),
  /** Absent: the token is valid until it is revoked. */
  expiresAt: timeForm.optional(),
  /** The federation rule of an exchanged token. The token is valid while the rule is unchanged. */
  rule: z.strictObject({ name: z.string(), version: z.number() }).optional(),
  /** The secrets that rotations replaced, newest first. */
  replaced: z.array(z.strictObject({ hash: hashForm, validUntil: timeForm })).optional(),
})

/** A stored token. */
export type TokenDocument = z.infer<typeof tokenDocument>

/** A token without its secrets, as the API returns it. */
export const tokenView = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
  createdAt: z.number(),
  rotatedAt: z.number().optional(),
  expiresAt: z.number().optional(),
})

/** A token without its secrets. */
export type TokenView = z.infer<typeof tokenView>

const idBytes = 8
const secretBytes = 32
const tokenFormat = /^act_([0-9a-f]{16})_([\w-]{43})$/

/** Returns the document key of a token id. */
export function tokenKeyOf(id: string): DocumentKey {
  return { kind: 'token', scope: '*', name: id }
}

/** Returns a new token id. */
export function createTokenId(random: Pick<RandomPort, 'bytes'>): string {
  return Buffer.from(random.bytes(idBytes)).toString('hex')
}

/** Returns a new secret of a token, as the text of the token and as the hash to store. */
export function createTokenSecret(
  random: Pick<RandomPort, 'bytes'>,
  id: string,
): { readonly token: string; readonly hash: string } {
  const secret = Buffer.from(random.bytes(secretBytes)).toString('base64url')
  return { token: `act_${id}_${secret}`, hash: hashOf(secret) }
}

/** Returns the id of a token's text, and the hash of its secret. Undefined for an invalid text. */
export function parseTokenText(
  text: string,
): { readonly id: string; readonly hash: string } | undefined {
  const [, id, secret] = tokenFormat.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { id, hash: hashOf(secret) }
}

/**
 * Stores a token if its stored version is still `version` (0: it is new). Returns the new version,
 * or false if the stored version is another one. An expired token stays in the store for as long as
 * it was valid, at most `expiredTokenRetentionMs`.
 */
export function putToken(
  documents: DocumentsPort,
  { id, version, document }: { readonly id: string; version: number; document: TokenDocument },
): Promise<number | false> {
  const key = tokenKeyOf(id)
  const { expiresAt } = document
  if (expiresAt === undefined) return documents.put(key, document, version)
  const retentionMs = Math.min(lifetimeMsOf(document) ?? 0, apiLimits.expiredTokenRetentionMs)
  const removedAt = (expiresAt + retentionMs) as EpochMs
  return documents.putExpiring({ key, value: document, version, expiresAt: removedAt })
}

/** Returns the time from the creation or last rotation of a token to its expiry. */
export function lifetimeMsOf({ createdAt, rotatedAt, expiresAt }: TokenDocument) {
  return expiresAt === undefined ? undefined : expiresAt - (rotatedAt ?? createdAt)
}

/** Parses a stored token. Throws DOCUMENT_INVALID. */
export function parseToken(stored: {
  readonly key: DocumentKey
  readonly value: unknown
}): TokenDocument {
  return parseDocumentValue(tokenDocument, stored)
}

/** Returns a token without its secrets and rule. The name of an exchanged token names the rule. */
export function tokenViewOf(
  id: string,
  { hash: _hash, replaced: _replaced, rule: _rule, ...view }: TokenDocument,
): TokenView {
  return { id, ...view }
}

/**
 * Returns the hash of a secret. A fast hash suffices, because 256 random bits cannot be guessed.
 */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
