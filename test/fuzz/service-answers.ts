import type { ServiceResponse } from '../../functions/service/service.fixture.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import { createError } from '../../shared/errors/error.ts'
import { requireLaw } from './fuzz-target.ts'

/**
 * Creates the times of a service under test, with short pauses. Each read of the time is a tenth of
 * a second later. So the rate limits of clients never hide a decoder.
 */
export function createQuickTimes(): Pick<ClockPort, 'monotonicMs' | 'sleep'> {
  let timeMs = 0
  return {
    monotonicMs: () => (timeMs += 100),
    sleep: () => new Promise(resolve => setImmediate(resolve)),
  }
}

/** Checks the laws of a response of the service. Throws API_INPUT_INVALID for a refused request. */
export function checkServiceAnswer({ status, json }: ServiceResponse): void {
  const text = JSON.stringify(json).slice(0, 300)
  const isUnimplemented = status === 501
  requireLaw(status < 500 || isUnimplemented, `no request causes the status ${status}: ${text}`)
  // A full queue of requests has this status too, but refuses only decoded requests.
  const isRateLimited = status === 429 && text.includes('too many requests')
  requireLaw(!isRateLimited, 'no rate limit hides a decoder')
  requireLaw(status < 400 || json['code'] === status, 'an error has its status as code')
  if (status >= 400) throw createError('API_INPUT_INVALID', text)
}
