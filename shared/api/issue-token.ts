import * as z from 'zod'
import { apiLimits } from '../config/api-limits.ts'
import type { DocumentsPort } from '../ports/documents.ts'
import type { ClockPort, RandomPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'
import { roles } from './authorization.ts'
import {
  createTokenId,
  createTokenSecret,
  putToken,
  type TokenDocument,
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

/** The ports for creating tokens. */
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

/** Creates and stores a token with the id `id`. `lifetimeMs` is undefined if it does not expire. */
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
  // The id is random, so no other token has it, and the write cannot conflict.
  await putToken(documents, { id, version: 0, document })
  return { ...tokenViewOf(id, document), token }
}
