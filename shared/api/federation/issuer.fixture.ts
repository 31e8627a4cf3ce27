import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import {
  type ReceivedRequest,
  startHttpReceiver,
} from '../../triggers/outbound/local-receiver.fixture.ts'

/** An OIDC issuer on loopback that signs any claims. */
export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>

async function createSigningKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const publicJwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  return { kid, privateKey, publicJwk }
}

/** Starts an issuer with one key. `rotate` replaces the key by a key with the next id. */
export async function startIssuer() {
  const receiver = await startHttpReceiver()
  const state = { key: await createSigningKey('1'), isFailing: false }
  const issuer = receiver.origin
  receiver.state.answer = ({ url }: ReceivedRequest) => {
    if (state.isFailing) return { status: 500 }
    const discovery = { issuer, jwks_uri: `${issuer}/keys` }
    const body = url === '/keys' ? { keys: [state.key.publicJwk] } : discovery
    return { status: 200, body: JSON.stringify(body) }
  }
  return {
    issuer,
    state,
    outbound: receiver.outbound,
    /** The paths of the received requests. */
    listPaths: () => receiver.received.map(({ url }) => url),
    /** Signs claims with the current key. */
    sign: (claims: object, header: Partial<JWTHeaderParameters> = {}): Promise<string> =>
      new SignJWT({ iss: issuer, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: state.key.kid, ...header })
        .sign(state.key.privateKey),
    rotate: async (): Promise<void> => {
      state.key = await createSigningKey(`${Number(state.key.kid) + 1}`)
    },
    close: () => receiver.close(),
  }
}
