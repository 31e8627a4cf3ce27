import { createError } from '../../shared/errors/error.ts'

const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Parses a duration such as `30m`, `1h` or `0` into seconds. Throws CLI_USAGE. */
export function parseSeconds(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text === '0' ? '0s' : text) ?? []
  if (count === undefined || unit === undefined)
    throw createError('CLI_USAGE', `${option} takes a duration such as 30m or 1h, not '${text}'`)
  return Number(count) * (secondsByUnit[unit] ?? 0)
}
