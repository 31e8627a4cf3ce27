import { apiLimits } from '../../shared/config/api-limits.ts'
import { createError } from '../../shared/errors/error.ts'
import type { TokenDays } from '../../shared/api/issue-token.ts'
import type { Flags } from '../arguments/flags.ts'

/**
 * Returns the field `days` of a request for a token. Without `--days` the field is absent, and the
 * API uses its default. Throws CLI_USAGE.
 */
export function readTokenDays(flags: Flags): { readonly days?: TokenDays } {
  const text = flags.text('days')
  if (text === undefined) return {}
  if (text === 'never') return { days: 'never' }
  const days = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  if (days <= apiLimits.tokenDaysMax) return { days }
  const range = `a number from 1 to ${apiLimits.tokenDaysMax}, or never`
  throw createError('CLI_USAGE', `--days takes ${range}, not '${text}'`)
}
