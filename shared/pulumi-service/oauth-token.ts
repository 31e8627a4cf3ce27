import * as z from 'zod'
import { federationLimits } from '../config/federation-limits.ts'
import { createError } from '../errors/error.ts'
import { toPrintable } from '../triggers/printable.ts'
import { parseInput } from '../api/define-route.ts'
import type { ExchangeRequest } from '../api/federation/exchange-jwt.ts'
import type { IssuedToken } from '../api/issue-token.ts'
import { readRequestBody } from '../api/read-body.ts'
import { organization } from './service-route.ts'

/** The path at which clients exchange the token of an OIDC issuer. */
export const oauthTokenPath = '/api/oauth/token'

/** Exchanges the token of an issuer by the federation rules of the installation. */
export type ExchangeToken = (request: ExchangeRequest) => Promise<IssuedToken>

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
const organizationTokenType = 'urn:pulumi:token-type:access_token:organization'

const grantForm = z.looseObject({
  audience: z.string(),
  requested_token_type: z.string(),
  scope: z.string().optional(),
  subject_token_type: z.literal('urn:ietf:params:oauth:token-type:id_token'),
  subject_token: z.string().min(1),
  /** The requested lifetime in seconds. */
  expiration: z.coerce.number().int().positive().optional(),
})

/**
 * Answers a request of RFC 8693 by the federation rules, which decide role, stacks and lifetime. A
 * client can only shorten the lifetime. Throws API_INPUT_INVALID for other grants and for tokens of
 * teams and users, and the errors of `exchange`.
 */
export async function exchangeForClient(
  exchange: ExchangeToken,
  httpRequest: Request,
  { id, clientAddress }: Pick<ExchangeRequest, 'id' | 'clientAddress'>,
): Promise<Response> {
  const bytes = await readRequestBody(httpRequest, federationLimits.exchangeBytesMax)
  const { grant_type: grantType = '', ...fields } = Object.fromEntries(
    new URLSearchParams(Buffer.from(bytes).toString('utf8')),
  )
  if (grantType !== exchangeGrant)
    throw createError(
      'API_INPUT_INVALID',
      `the grant '${toPrintable(grantType, 80)}' is not supported`,
    )
  const grant = parseInput(grantForm, fields, 'body')
  requireOrganizationToken(grant)
  const lifetimeField =
    grant.expiration === undefined ? {} : { lifetimeSecondsMax: grant.expiration }
  const request = { token: grant.subject_token, id, clientAddress, ...lifetimeField }
  const { token, createdAt, expiresAt } = await exchange(request)
  const lifetimeMs = (expiresAt ?? createdAt) - createdAt
  const json = {
    access_token: token,
    issued_token_type: organizationTokenType,
    token_type: 'token',
    expires_in: Math.floor(lifetimeMs / 1_000),
    scope: '',
  }
  return new Response(JSON.stringify(json), { headers: { 'content-type': 'application/json' } })
}

/** Throws API_INPUT_INVALID for a token of a team, a user or another organization. */
function requireOrganizationToken(grant: z.infer<typeof grantForm>): void {
  const { audience, requested_token_type: tokenType, scope = '' } = grant
  if (audience !== `urn:pulumi:org:${organization}`)
    throw createError(
      'API_INPUT_INVALID',
      `the audience must be urn:pulumi:org:${organization}, not '${toPrintable(audience, 80)}': pass --oidc-org ${organization}`,
    )
  if (tokenType === organizationTokenType && scope === '') return
  const requested = scope === '' ? tokenType : scope
  throw createError(
    'API_INPUT_INVALID',
    `tokens for '${toPrintable(requested, 80)}' are not supported: a federation rule decides the permissions of a token`,
  )
}
