import * as z from 'zod'
import { federationLimits } from '../../config/federation-limits.ts'
import type { Route } from '../define-route.ts'
import { tokenView } from '../token-document.ts'

/** A route whose callers need no token, and the size limit of its body. */
export interface PublicRoute
  extends Pick<Route, 'method' | 'path' | 'summary' | 'body' | 'output' | 'status'> {
  readonly bodyBytesMax: number
}

/** The route that exchanges the token of an issuer for a token of the API. */
export const exchangeRoute = {
  method: 'POST',
  path: '/v1/tokens/exchange',
  summary:
    'Exchange an OIDC token for a token of the API; only this response contains the text of the new token',
  body: z.strictObject({
    /** The OIDC token: a signed JWT. */
    token: z.string(),
    /** The name of the federation rule. Absent: the one rule that admits the OIDC token. */
    rule: z.string().max(100).optional(),
  }),
  bodyBytesMax: federationLimits.exchangeBytesMax,
  status: 201,
  output: tokenView.extend({ token: z.string() }),
} as const satisfies PublicRoute
