import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createLocalJWKSet } from 'jose'
import { createIssuerKeys } from '../../../shared/api/federation/issuer-keys.ts'
import type { FederationRule } from '../../../shared/api/federation/federation-rule.ts'
import { selectRule } from '../../../shared/api/federation/select-rule.ts'
import { readUnverifiedIssuer, verifyJwt } from '../../../shared/api/federation/verify-jwt.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { OutboundPort } from '../../../shared/ports/outbound.ts'
import type { EpochMs } from '../../../shared/records/ids.ts'
import {
  webhookForms,
  type WebhookFormName,
} from '../../../shared/triggers/webhooks/webhook-forms.ts'
import { parseJson } from '../../../shared/values/parse-json.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const issuer = 'https://issuer.example.com'
const now = Date.parse('2026-11-30T19:00:00Z') as EpochMs
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signingKey = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'EdDSA', use: 'sig' }
const keySet = createLocalJWKSet({ keys: [jwk] })
const keys = { find: (_issuer: string, header: Parameters<typeof keySet>[0]) => keySet(header) }

const rule: FederationRule = {
  name: 'deploys',
  version: 1,
  issuer,
  audience: 'antichain',
  claims: { repository: 'acme/*', ref: 'refs/heads/main' },
  role: 'deploy',
  lifetimeSeconds: 900,
  isPaused: false,
}

/** Signs `<header>` and `<payload>`, two lines of JSON. Other texts are tokens themselves. */
function signLines(text: string): string {
  const [header = '', payload = '', ...others] = text.split('\n')
  if (others.length > 0 || parseJson(header) === undefined) return text
  const content = [header, payload].map(part => Buffer.from(part).toString('base64url')).join('.')
  return `${content}.${sign(null, Buffer.from(content), signingKey).toString('base64url')}`
}

/** Verifies a token and selects its rule, as an exchange does. */
async function checkToken(text: string): Promise<void> {
  const token = signLines(text)
  requireLaw(readUnverifiedIssuer(token).length >= 0, 'an issuer is a text')
  const claims = await verifyJwt(token, { issuer, keys, now })
  selectRule([rule], claims, undefined)
  const audiences = [claims['aud']].flat()
  requireLaw(audiences.includes('antichain'), 'an admitted token is for this audience')
}

const payload = { iss: issuer, sub: 's', aud: 'antichain', iat: now / 1_000, exp: now / 1_000 + 60 }
const goodToken = signLines(
  [{ alg: 'EdDSA', kid: '1' }, payload].map(part => JSON.stringify(part)).join('\n'),
)

/** Verifies a token with the keys of an issuer whose responses have this text. */
async function checkKeys(text: string): Promise<void> {
  const outbound: OutboundPort = {
    call: async ({ url }, handle) => {
      const isDiscovery = url.endsWith('openid-configuration')
      const discovery = JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` })
      const body = isDiscovery && !text.includes('jwks_uri') ? discovery : text
      return handle({
        status: 200,
        headers: new Map(),
        body: (async function* () {
          yield Buffer.from(body)
        })(),
      })
    },
  }
  const issuerKeys = createIssuerKeys({
    outbound,
    clock: { monotonicMs: () => 1 },
    logger: { write: () => undefined },
  })
  await verifyJwt(goodToken, { issuer, keys: issuerKeys, now })
}

const secrets = ['a secret of enough characters', 'whsec_YSBzZWNyZXQgb2YgZW5vdWdoIGNoYXJhY3RlcnM=']

/**
 * Checks the headers of a delivery. The JSON has the body and the headers. None of the deliveries is
 * signed, so an accepted one would be a forgery.
 */
function checkDelivery(form: WebhookFormName, text: string): void {
  const json = Object(parseJson(text)) as { readonly body?: unknown; readonly headers?: object }
  const entries = Object.entries(Object(json.headers) as object).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const body = Buffer.from(typeof json.body === 'string' ? json.body : '')
  const request = { headers: new Map(entries), body }
  const { requireSignature, verify, identitiesOf } = webhookForms[form]
  requireLaw(
    identitiesOf(request).every(identity => identity.length < 1_000),
    'the identity of a delivery is short',
  )
  requireSignature(request)
  verify(request, { secrets, now })
  requireLaw(false, 'a delivery without a signature is refused')
}

/**
 * Identities of senders: a line `token`, `keys` or the name of a form of webhooks. Then a token, or
 * its header and payload, the keys of an issuer, or the headers and the body of a delivery.
 */
export const identityTokensTarget: FuzzTarget = {
  decode(input) {
    const text = Buffer.from(input).toString('utf8')
    const lineEnd = Math.max(0, text.indexOf('\n'))
    const [kind, rest] = [text.slice(0, lineEnd), text.slice(lineEnd + 1)]
    if (kind === 'token') return checkToken(rest)
    if (kind === 'keys') return checkKeys(rest)
    if (Object.hasOwn(webhookForms, kind)) return checkDelivery(kind as WebhookFormName, rest)
    throw createError('OIDC_TOKEN_INVALID', 'the input has no kind of identity')
  },
}
