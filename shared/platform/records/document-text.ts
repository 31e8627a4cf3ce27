import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { DocumentKey } from '../../ports/documents.ts'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/

/**
 * Serializes the value of a document as JSON, for every adapter. Throws DOCUMENT_INVALID when the
 * name is invalid, or when the text exceeds `triggerLimits.documentBytesMax`.
 */
export function serializeDocument({ kind, name }: DocumentKey, value: unknown): string {
  if (!namePattern.test(name))
    throw createError(
      'DOCUMENT_INVALID',
      `the name of a ${kind} must have 1 to 100 letters, digits, '_', '.' or '-', and begin with a letter or digit`,
    )
  const text = JSON.stringify(value)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > triggerLimits.documentBytesMax)
    throw createError('DOCUMENT_INVALID', `the ${kind} ${name} is too large: ${sizeBytes} bytes`, {
      hint: `Reduce it to at most ${triggerLimits.documentBytesMax} bytes.`,
    })
  return text
}
