/**
 * federation: tokens of CI systems, which OIDC issuers sign, are exchanged for tokens of the API.
 * An admin defines the rules. Each rule names an issuer, an audience and conditions on claims.
 *
 * Invariants: requests are sent only to issuers that a rule names. A refusal contains no condition
 * of a rule. No token of an issuer is stored or logged.
 */
import { DeployError } from '../../errors/error.ts'
import { toPrintable } from '../../triggers/printable.ts'
import { recordChange } from '../audited-call.ts'
import type { ApiPorts } from '../define-route.ts'
import { createTokenId } from '../token-document.ts'
import { type IssuedToken, issueToken } from '../issue-token.ts'
import { exchangeRoute } from './exchange-route.ts'
import { type FederationRule, listActiveRules } from './federation-rule.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { type Claims, createForeignTokenError, selectRule } from './select-rule.ts'
import { readUnverifiedIssuer, verifyJwt } from './verify-jwt.ts'

type ExchangePorts = Pick<ApiPorts, 'documents' | 'audit' | 'clock' | 'random' | 'logger'>

/** A request for an exchange. */
export interface ExchangeRequest {
  /** The token of the issuer. */
  readonly token: string
  /** The name of the requested rule, if the sender names one. */
  readonly rule?: string | undefined
  /** The maximum lifetime that the sender requests. It cannot extend the lifetime of the rule. */
  readonly lifetimeSecondsMax?: number
  readonly clientAddress: string
  /** The id of the request, for the audit log. */
  readonly id: string
}

/**
 * Exchanges the token of an issuer for a token with the role, stacks and lifetime of one rule. The
 * audit log names rule, subject and issuer. The same token may be exchanged again until it expires.
 * A later change or removal of the rule ends the created token. Throws OIDC_TOKEN_INVALID,
 * OIDC_TOKEN_EXPIRED, OIDC_AUDIENCE_WRONG, OIDC_TOKEN_FOREIGN, OIDC_RULE_AMBIGUOUS,
 * OIDC_ISSUER_UNREACHABLE.
 */
export async function exchangeJwt(
  ports: ExchangePorts,
  keys: IssuerKeys,
  request: ExchangeRequest,
): Promise<IssuedToken> {
  const issuer = readUnverifiedIssuer(request.token)
  try {
    const rules = await listActiveRules(ports.documents, ports.logger)
    const issuerRules = rules.filter(rule => rule.issuer === issuer)
    if (issuerRules.length === 0) throw createForeignTokenError()
    const claims = await verifyJwt(request.token, { issuer, keys, now: ports.clock.now() })
    return await issueFederated(
      ports,
      request,
      selectRule(issuerRules, claims, request.rule),
      claims,
    )
  } catch (thrown) {
    if (thrown instanceof DeployError)
      ports.logger.write('warn', 'federation.refused', {
        request: request.id,
        code: thrown.code,
        issuer: toPrintable(issuer),
        from: request.clientAddress,
      })
    throw thrown
  }
}

/** Creates the token of a rule, between two entries of the audit log. */
async function issueFederated(
  ports: ExchangePorts,
  { id: requestId, clientAddress, lifetimeSecondsMax = Infinity }: ExchangeRequest,
  rule: FederationRule,
  claims: Claims,
): Promise<IssuedToken> {
  const { role, stacks, issuer, lifetimeSeconds, version } = rule
  const id = createTokenId(ports.random)
  const subject = claims['sub']
  const name = `${rule.name}: ${typeof subject === 'string' ? toPrintable(subject) : ''}`
  const entry = {
    who: `${name} of ${toPrintable(issuer)} (${id})`,
    from: clientAddress,
    what: `${exchangeRoute.method} ${exchangeRoute.path}`,
    request: requestId,
  }
  const permissions = {
    name,
    role,
    stacks: stacks ?? ('*' as const),
    rule: { name: rule.name, version },
  }
  const lifetimeMs = Math.min(lifetimeSeconds, lifetimeSecondsMax) * 1_000
  const { token } = await recordChange(ports, entry, async () => ({
    status: exchangeRoute.status,
    token: await issueToken(ports, { id, permissions, lifetimeMs }),
  }))
  return token
}
