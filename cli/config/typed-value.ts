import type { ConfigScalar } from '../../shared/programs/config/config-tree.ts'
import { createError } from '../../shared/errors/error.ts'

/** The types of `config set --type`. */
export const configTypes = ['string', 'int', 'bool', 'float'] as const

/** A parser for each type. It returns undefined for a text that is not of the type. */
const parsers: Readonly<Record<string, (text: string) => ConfigScalar | undefined>> = {
  string: text => text,
  int: text => (/^[+-]?\d+$/.test(text) ? parseInteger(text) : undefined),
  bool: text => {
    if (/^(1|t|true)$/i.test(text)) return true
    return /^(0|f|false)$/i.test(text) ? false : undefined
  },
  float: text => {
    const number = Number(text)
    return text.trim() !== '' && Number.isFinite(number) ? number : undefined
  },
}

function parseInteger(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text.replace('+', ''))
}

/** Returns a text as a value of a type in `configTypes`. Throws CONFIG_INVALID for another text. */
export function parseTypedValue(text: string, type: string): ConfigScalar {
  const value = parsers[type]?.(text)
  if (value !== undefined) return value
  throw createError('CONFIG_INVALID', `the value is not of type ${type}`, {
    hint: 'Correct the value or --type.',
  })
}
