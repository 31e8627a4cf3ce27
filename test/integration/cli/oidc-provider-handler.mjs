import Provider from 'oidc-provider'

/**
 * Returns the request handler of an oidc-provider with one client. The client gets JWTs with the
 * claims of `readClaims` for any resource.
 */
export function createProviderHandler(issuer, { client, jwk, readClaims }) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    cookies: { keys: ['the-key-of-cookies'] },
    jwks: { keys: [jwk] },
    ttl: { ClientCredentials: 300 },
    extraTokenClaims: readClaims,
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
  return provider.callback()
}
