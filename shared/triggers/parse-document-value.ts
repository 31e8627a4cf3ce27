import type * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { StoredDocument } from '../ports/documents.ts'
import { formFaultOf } from './form-fault.ts'
import { toPrintable } from './printable.ts'
import { parseForm } from '../values/parse-form.ts'

/**
 * Parses the value of a document by the schema of its kind. Throws DOCUMENT_INVALID with the
 * location of the error.
 */
export function parseDocumentValue<Schema extends z.ZodType>(
  schema: Schema,
  { key, value }: Pick<StoredDocument, 'key' | 'value'>,
): z.infer<Schema> {
  const parsed = parseForm(schema, value)
  if (parsed.success) return parsed.data
  const { location, requirement } = formFaultOf(parsed.error, value)
  throw createError(
    'DOCUMENT_INVALID',
    `the ${key.kind} ${toPrintable(key.name)} is invalid at '${location}': it ${requirement}`,
  )
}
