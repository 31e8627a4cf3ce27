import type { HclExpression } from '../hcl/syntax.ts'
import {
  createFreeExpression,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { type PrintedPart, quoteTemplate } from './print-text.ts'
import { readLiteralText } from './read-requirements.ts'

/**
 * Prints a call of Terraform's function `format` as a template. Returns undefined if the format is
 * no literal, if a verb is not `%s`, `%d` or `%v`, or if the number of arguments differs.
 */
export function printFormat(
  [format, ...args]: readonly HclExpression[],
  scope: PrintScope,
): PrintedExpression | undefined {
  const text = format === undefined ? undefined : readLiteralText(format)
  if (text === undefined) return undefined
  const pieces = text.split(/(%.?)/s)
  const verbs = pieces.filter(piece => piece.startsWith('%') && piece !== '%%')
  if (verbs.length !== args.length || !verbs.every(verb => /^%[sdv]$/.test(verb))) return undefined
  const remainingArgs = [...args]
  const parts = pieces.map((piece): PrintedPart => {
    if (piece === '%%') return { kind: 'text', text: '%' }
    const argument = piece.startsWith('%') ? remainingArgs.shift() : undefined
    if (argument === undefined) return { kind: 'text', text: piece }
    return { kind: 'interpolation', text: printOperand(argument, scope).text }
  })
  return createFreeExpression(quoteTemplate(parts))
}
