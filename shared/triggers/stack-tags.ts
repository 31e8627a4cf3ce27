import * as z from 'zod'
import { createError } from '../errors/error.ts'
import { type DocumentKey, type DocumentsPort, tagsDocumentName } from '../ports/documents.ts'
import type { StackId } from '../records/ids.ts'
import { parseDocumentValue } from './parse-document-value.ts'
import { createRecordForm } from '../values/record-form.ts'

/** The tags of a stack, by name. */
export type StackTags = Readonly<Record<string, string>>

/** Tags in a request. The limits are those of Pulumi's client. */
export const tagsForm = createRecordForm(z.string().max(256), z.string().regex(/^[\w.:-]{1,40}$/))

function tagsKeyOf(stack: StackId): DocumentKey {
  return { kind: 'stack-settings', scope: stack, name: tagsDocumentName }
}

/** Returns the tags of a stack. */
export async function readTags(
  { documents }: { readonly documents: Pick<DocumentsPort, 'get'> },
  stack: StackId,
): Promise<StackTags> {
  const stored = await documents.get(tagsKeyOf(stack))
  return stored === undefined ? {} : parseDocumentValue(tagsForm, stored)
}

/** Replaces the tags of a stack. Throws DOCUMENT_CHANGED after a concurrent change. */
export async function putTags(
  { documents }: { readonly documents: Pick<DocumentsPort, 'get' | 'put'> },
  stack: StackId,
  tags: StackTags,
): Promise<void> {
  const stored = await documents.get(tagsKeyOf(stack))
  const version = await documents.put(tagsKeyOf(stack), tags, stored?.version ?? 0)
  if (version === false)
    throw createError('DOCUMENT_CHANGED', 'the tags of the stack were changed concurrently')
}
