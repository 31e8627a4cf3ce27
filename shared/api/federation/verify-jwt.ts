import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { federationLimits as limits } from '../../config/federation-limits.ts'
import { DeployError, createError } from '../../errors/error.ts'
import type { EpochMs } from '../../records/ids.ts'
import { toPrintable } from '../../triggers/printable.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { Claims } from './select-rule.ts'

/** The accepted signature algorithms. All are asymmetric, so a public key cannot sign a token. */
const algorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const requiredClaims = ['sub', 'aud', 'exp', 'iat']

/**
 * Returns the issuer that a token claims to have, unverified. Throws OIDC_TOKEN_INVALID for a
 * malformed token, a token without an issuer, or a signature algorithm that is not accepted. Pure.
 */
export function readUnverifiedIssuer(jwt: string): string {
  const { alg, iss } = decodeParts(jwt)
  if (typeof alg !== 'string') throw createInvalidTokenError('it names no algorithm')
  if (!algorithms.includes(alg))
    throw createInvalidTokenError(`its algorithm '${toPrintable(alg, 20)}' is not accepted`)
  if (typeof iss !== 'string') throw createInvalidTokenError('it names no issuer')
  return iss
}

function decodeParts(jwt: string): { readonly alg: unknown; readonly iss: unknown } {
  try {
    return { alg: decodeProtectedHeader(jwt).alg, iss: decodeJwt(jwt).iss }
  } catch {
    throw createInvalidTokenError('it is not a JWT')
  }
}

/**
 * Returns the claims of a token after the check of its signature and times. The caller checks the
 * audience. Throws OIDC_TOKEN_INVALID, OIDC_TOKEN_EXPIRED, OIDC_ISSUER_UNREACHABLE.
 */
export async function verifyJwt(
  jwt: string,
  { issuer, keys, now }: { readonly issuer: string; keys: IssuerKeys; now: EpochMs },
): Promise<Claims> {
  const toleranceSeconds = limits.clockToleranceSeconds
  try {
    const { payload } = await jwtVerify(jwt, header => keys.find(issuer, header), {
      issuer,
      algorithms: [...algorithms],
      requiredClaims: [...requiredClaims],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now),
    })
    if ((payload.iat ?? 0) > now / 1_000 + toleranceSeconds)
      throw createInvalidTokenError('it is not valid yet')
    return payload
  } catch (thrown) {
    throw toVerificationError(thrown)
  }
}

function toVerificationError(thrown: unknown): Error {
  if (thrown instanceof DeployError) return thrown
  if (thrown instanceof errors.JWTExpired)
    return createError('OIDC_TOKEN_EXPIRED', 'the OIDC token has expired')
  if (thrown instanceof errors.JWTClaimValidationFailed)
    return createInvalidTokenError(
      thrown.claim === 'nbf' ? 'it is not valid yet' : `its claim '${thrown.claim}' is not valid`,
    )
  if (thrown instanceof errors.JWKSNoMatchingKey)
    return createInvalidTokenError('its key is unknown')
  return createInvalidTokenError('its signature is not valid')
}

function createInvalidTokenError(reason: string): Error {
  return createError('OIDC_TOKEN_INVALID', `the OIDC token is not valid: ${reason}`)
}
