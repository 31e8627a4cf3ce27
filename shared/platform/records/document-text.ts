import { triggerLimits } from '../../config/trigger-limits.ts'
import { error } from '../../errors/error.ts'
import type { DocumentKey } from '../../ports/documents.ts'

const nameForm = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/

/**
 * The JSON text of a document: every adapter puts this. Throws DOCUMENT_INVALID when the name has
 * other characters, or the text more than `triggerLimits.documentBytesMax`.
 */
export function serializeDocument({ kind, name }: DocumentKey, value: unknown): string {
  if (!nameForm.test(name))
    throw error(
      'DOCUMENT_INVALID',
      `a ${kind} has a name of letters, digits, '_', '.' and '-', at most 100`,
    )
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  if (bytes > triggerLimits.documentBytesMax)
    throw error('DOCUMENT_INVALID', `the ${kind} ${name} has ${bytes} bytes`, {
      hint: `Keep it below ${triggerLimits.documentBytesMax} bytes.`,
    })
  return text
}
