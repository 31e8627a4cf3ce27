import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { createProviderHandler } from './oidc-provider-handler.mjs'

/** The token with which a job requests its OIDC token. */
const requestToken = 'the-token-of-the-job'
const client = { id: 'runner', secret: 'the-secret-of-the-runner' }

async function createKey(kid: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
  return { kid, privateKey, jwk }
}

/**
 * Starts oidc-provider on loopback. It issues JWTs with the claims of a job, for any audience. Like
 * GitHub Actions, the server also has an address at which a job requests such a token.
 */
export async function startLocalIssuer(jobClaims: Readonly<Record<string, string>>) {
  let handler: RequestListener = (_request, response) => void response.end()
  const server = createServer((request, response) => handler(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state = { claims: jobClaims, key: await createKey('1') }

  /** Requests a token by the client credentials grant, with the audience as the resource. */
  const requestJwt = async (audience: string): Promise<string> => {
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    })
    if (!response.ok) throw new Error(`no token: ${await response.text()}`)
    return ((await response.json()) as { readonly access_token: string }).access_token
  }
  const useKey = (): void => {
    const { jwk } = state.key
    const readClaims = () => state.claims
    const provider = createProviderHandler(issuer, { client, jwk, readClaims })
    handler = (request, response) => {
      const url = new URL(request.url ?? '', issuer)
      if (url.pathname !== '/job/token') return provider(request, response)
      if (request.headers.authorization !== `Bearer ${requestToken}`)
        return void response.writeHead(401).end()
      requestJwt(url.searchParams.get('audience') ?? '').then(
        value => response.end(JSON.stringify({ value })),
        () => response.writeHead(500).end(),
      )
    }
  }
  useKey()
  return {
    issuer,
    state,
    requestJwt,
    /** The variables of a job of GitHub Actions that may request tokens. */
    jobVariables: {
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer}/job/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    },
    /** Signs claims with the key of the issuer. */
    sign: (claims: object): Promise<string> =>
      new SignJWT({ iss: issuer, sub: 'x', ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: state.key.kid })
        .sign(state.key.privateKey),
    /** Replaces the key of the issuer. */
    rotateKey: async (): Promise<void> => {
      state.key = await createKey(`${Number(state.key.kid) + 1}`)
      useKey()
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
