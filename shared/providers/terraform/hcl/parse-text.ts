import { createCursor } from './hcl-cursor.ts'
import { createHclErrorFactory } from './hcl-token.ts'
import { parseExpression, parseWholeExpression, requireShallowTree } from './parse-expression.ts'
import { parseTemplate } from './parse-template.ts'
import { splitHcl, splitTemplateText } from './split-hcl.ts'
import type { HclExpression, HclPlace } from './syntax.ts'
import { createTokenReader } from './token-reader.ts'

/**
 * Parses a text as a template that has no quotes around it. If the text is one interpolation or
 * directive, returns its expression. `place` is the beginning of the text in the file. Throws
 * TERRAFORM_FILE_INVALID.
 */
export function parseTemplateText(text: string, place: HclPlace, file: string): HclExpression {
  const createError = createHclErrorFactory(file)
  const pieces = splitTemplateText(createCursor(text, place), createError)
  const token = { ...place, kind: 'template', text: '"', pieces } as const
  const template = parseTemplate(token, createTokenReader([], createError), parseExpression)
  requireShallowTree(template, createError)
  if (template.kind !== 'template') return template
  const [first, ...others] = template.parts
  return first !== undefined && typeof first !== 'string' && others.length === 0 ? first : template
}

/**
 * Parses a text that is one expression. `place` is the beginning of the text in the file. Throws
 * TERRAFORM_FILE_INVALID.
 */
export function parseExpressionText(text: string, place: HclPlace, file: string): HclExpression {
  const createError = createHclErrorFactory(file)
  const reader = createTokenReader(splitHcl(text, createError, place), createError)
  return reader.withNewlines('ignored', () => {
    const expression = parseWholeExpression(reader)
    if (reader.peek().kind !== 'end') throw reader.createTokenError(reader.peek())
    return expression
  })
}
