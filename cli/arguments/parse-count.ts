import { createError } from '../../shared/errors/error.ts'
import type { Flags } from './flags.ts'

/**
 * Returns the number of an option such as --count, or undefined without the option. Throws
 * CLI_USAGE for a text that is not a number.
 */
export function parseCount(flags: Pick<Flags, 'text'>, name: string): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw createError('CLI_USAGE', `--${name} takes a number, not '${text}'`)
}
