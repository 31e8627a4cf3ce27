import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Backend } from '../../backends/open-backend.ts'
import { readBackendTags, saveBackendTags } from '../../backends/backend-tags.ts'
import { type DocumentKey, type DocumentsPort, tagsDocumentName } from '../../ports/documents.ts'
import type { StackId } from '../../records/ids.ts'
import { createRecordForm } from '../../values/record-form.ts'

const tagsValueForm = createRecordForm(z.string())

/**
 * Creates the port for documents over a backend. The tags of stacks are in the backend, in the same
 * objects as those of Pulumi's command line. All other documents are in the store of this machine,
 * behind `documents`. The version of tags is derived from their bytes, so equal tags have the same
 * version. Tags without an entry have no object, and therefore version 0.
 */
export function createBackendDocuments(backend: Backend, documents: DocumentsPort): DocumentsPort {
  const readTags = async (stack: StackId) => {
    const stored = await readBackendTags(backend, stack)
    return stored === undefined ? undefined : { ...stored, version: versionOf(stored.bytes) }
  }
  return {
    ...documents,
    get: async key => {
      if (!isTagsKey(key)) return documents.get(key)
      const stored = await readTags(key.scope)
      return stored === undefined ? undefined : { key, version: stored.version, value: stored.tags }
    },
    put: async (key, value, expectedVersion) => {
      if (!isTagsKey(key)) return documents.put(key, value, expectedVersion)
      if (((await readTags(key.scope))?.version ?? 0) !== expectedVersion) return false
      const bytes = await saveBackendTags(backend, key.scope, tagsValueForm.parse(value))
      return bytes === undefined ? 0 : versionOf(bytes)
    },
  }
}

function isTagsKey(key: DocumentKey): key is DocumentKey & { readonly scope: StackId } {
  return key.kind === 'stack-settings' && key.name === tagsDocumentName && key.scope !== '*'
}

/**
 * Returns the version of stored tags: 48 bits of their hash, plus 1, because the version 0 means
 * that a stack has no tags.
 */
function versionOf(bytes: Uint8Array): number {
  return createHash('sha256').update(bytes).digest().readUIntBE(0, 6) + 1
}
