import { status } from '@grpc/grpc-js'
import { hasCode } from '../../../errors/error.ts'
import { ProviderError } from '../../provider-error.ts'
import type { DeferrableResponse } from '../client/terraform-client.ts'
import type { ProviderFlaw } from '../plan/object-shape.ts'
import { formatPlace } from '../values/cty-path.ts'

/** Creates the error of a refused or failed call after which the resource is unchanged. */
export function createRefusal(message: string, cause?: unknown): ProviderError {
  return new ProviderError(message, { status: 'ok', code: status.FAILED_PRECONDITION, cause })
}

/**
 * Describes contradictions in a response, and names the provider as their cause. `fault` says what
 * the provider did, such as `planned an invalid change of 'URN'`.
 */
export function describeProviderBug(
  provider: string,
  fault: string,
  flaws: readonly ProviderFlaw[],
): string {
  const reasons = flaws.map(({ message, path }) => `${message}${formatPlace(path)}`)
  return `provider '${provider}' ${fault}: ${reasons.join('; ')}. This is a bug of the provider`
}

/** Throws ProviderError if a provider deferred a call, although no request allows that. */
export function requireNoDeferral(
  provider: string,
  subject: string,
  { deferralReason }: DeferrableResponse,
): void {
  if (deferralReason === undefined) return
  throw createRefusal(
    describeProviderBug(provider, `deferred ${subject}`, [
      { message: 'no request allowed a deferral', path: [] },
    ]),
  )
}

/**
 * Runs a function that reads a response. Converts TERRAFORM_PROVIDER_BUG to a refusal that names
 * the provider.
 */
export function readResponse<T>(provider: string, fault: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) throw thrown
    throw createRefusal(
      describeProviderBug(provider, fault, [{ message: thrown.message, path: [] }]),
      thrown,
    )
  }
}
