import * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { StackId } from '../records/ids.ts'
import { printCompactJson } from '../state/print-envelope.ts'
import { compareUtf8 } from '../values/go-json.ts'
import { parseForm } from '../values/parse-form.ts'
import { stackKeysOf } from './backend-keys.ts'
import { parseJsonObject } from './checkpoint-file.ts'
import type { Backend } from './open-backend.ts'
import { createRecordForm } from '../values/record-form.ts'

/** The tags of a stack of a backend, by name, and the stored bytes of their object. */
export interface BackendTags {
  readonly tags: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** The version of the format of stored tags. */
const tagsVersion = 1

const tagsFileForm = z.looseObject({
  version: z.int(),
  tags: createRecordForm(z.string()).nullish(),
})

/**
 * Reads the tags of a stack. Returns undefined for a stack without tags. Throws BACKEND_INVALID,
 * and BACKEND_TOO_NEW for an unknown version.
 */
export async function readBackendTags(
  { store, layout }: Backend,
  id: StackId,
): Promise<BackendTags | undefined> {
  const { tags: key } = stackKeysOf(layout, id)
  const bytes = await store.get(key)
  if (bytes === undefined) return undefined
  const parsed = parseForm(tagsFileForm, parseJsonObject(bytes, key))
  if (!parsed.success)
    throw createError(
      'BACKEND_INVALID',
      `the object ${key} of the backend does not contain the tags of a stack`,
      {
        hint: 'Move the object out of the backend; the stack then has no tags.',
      },
    )
  const { version, tags } = parsed.data
  if (version !== tagsVersion)
    throw createError(
      'BACKEND_TOO_NEW',
      `the object ${key} of the backend has the version ${version}`,
    )
  return { tags: tags ?? {}, bytes }
}

/**
 * Writes the tags of a stack byte for byte as Pulumi does, or removes their object if there are
 * none. Returns the stored bytes, or undefined without tags. Source: `saveStackTags` in
 * pkg/backend/diy/stack_tags.go of Pulumi 3.274.1.
 */
export async function saveBackendTags(
  { store, layout }: Backend,
  id: StackId,
  tags: Readonly<Record<string, string>>,
): Promise<Uint8Array | undefined> {
  const { tags: key } = stackKeysOf(layout, id)
  const sorted = Object.entries(tags).toSorted(([a], [b]) => compareUtf8(a, b))
  if (sorted.length === 0) {
    await store.remove(key)
    return undefined
  }
  const bytes = Buffer.from(
    printCompactJson({ version: tagsVersion, tags: Object.fromEntries(sorted) }),
  )
  await store.put(key, bytes)
  return bytes
}
