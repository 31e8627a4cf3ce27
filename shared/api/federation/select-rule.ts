import { federationLimits as limits } from '../../config/federation-limits.ts'
import { createError } from '../../errors/error.ts'
import { toPrintable } from '../../triggers/printable.ts'
import { matchesGlob } from '../../triggers/webhooks/glob.ts'
import type { FederationRule } from './federation-rule.ts'

/** The verified claims of a token. */
export type Claims = Readonly<Record<string, unknown>>

/**
 * Returns the one rule that admits verified claims. `requestedRule` selects one of several rules.
 * Throws OIDC_AUDIENCE_WRONG, OIDC_TOKEN_FOREIGN, OIDC_RULE_AMBIGUOUS. Errors contain no condition
 * of a rule, because every user of a public issuer can cause them. Pure.
 */
export function selectRule(
  rules: readonly FederationRule[],
  claims: Claims,
  requestedRule: string | undefined,
): FederationRule {
  const audiences = [claims['aud']].flat().filter(audience => typeof audience === 'string')
  const audienceRules = rules.filter(({ audience }) => audiences.includes(audience))
  if (audienceRules.length === 0)
    throw createError(
      'OIDC_AUDIENCE_WRONG',
      `no rule accepts the audience '${toPrintable(audiences.join(', '))}' of the OIDC token`,
    )
  const matchingRules = audienceRules.filter(rule => matchesConditions(rule.claims, claims))
  const selectedRules = matchingRules.filter(({ name }) => name === (requestedRule ?? name))
  const [rule, ...others] = selectedRules
  if (rule === undefined) throw createForeignTokenError()
  if (others.length === 0) return rule
  const names = selectedRules.map(({ name }) => `'${name}'`).join(', ')
  throw createError('OIDC_RULE_AMBIGUOUS', `several rules admit the OIDC token: ${names}`)
}

/** Returns the error for a token that no rule admits, or whose issuer no rule names. */
export function createForeignTokenError(): Error {
  return createError('OIDC_TOKEN_FOREIGN', 'no rule admits the issuer and claims of the OIDC token')
}

/**
 * Reports whether claims match all conditions. A text of more than `claimCharsMax` characters
 * matches none. Pure.
 */
export function matchesConditions(conditions: FederationRule['claims'], claims: Claims): boolean {
  return Object.entries(conditions).every(([claim, pattern]) =>
    textsOf(Object.hasOwn(claims, claim) ? claims[claim] : undefined).some(
      text => text.length <= limits.claimCharsMax && matchesGlob(pattern, text),
    ),
  )
}

/**
 * Returns the texts, numbers and booleans of a claim as texts: the claim itself, or the items of a
 * list.
 */
function textsOf(claim: unknown): readonly string[] {
  return [claim]
    .flat()
    .filter(item => ['string', 'number', 'boolean'].includes(typeof item))
    .map(String)
}
