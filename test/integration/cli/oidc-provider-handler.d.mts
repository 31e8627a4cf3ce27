import type { RequestListener } from 'node:http'
import type { JWK } from 'jose'

/** Creates the request handler of oidc-provider for one client, whose JWTs have these claims. */
export function createProviderHandler(
  issuer: string,
  configuration: {
    readonly client: { readonly id: string; readonly secret: string }
    readonly jwk: JWK
    readonly readClaims: () => Readonly<Record<string, string>>
  },
): RequestListener
