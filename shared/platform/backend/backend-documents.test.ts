import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openBackend } from '../../backends/open-backend.ts'
import { type DocumentKey, type DocumentsPort, tagsDocumentName } from '../../ports/documents.ts'
import { stackIdOf } from '../../records/ids.ts'
import { putTags, readTags } from '../../triggers/stack-tags.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { createBackendDocuments } from './backend-documents.ts'

const stack = stackIdOf('shop', 'dev')
const key: DocumentKey = { kind: 'stack-settings', scope: stack, name: tagsDocumentName }

async function openDocuments(): Promise<DocumentsPort> {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-tags-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const backend = await openBackend(createFileObjects(folder, { hasAttributes: false }), {})
  // Tags never reach the documents of this machine.
  return createBackendDocuments(backend, {} as DocumentsPort)
}

test('each put of tags returns the version that the next put expects, also after the last tag is removed', async () => {
  const documents = await openDocuments()
  let version = 0
  for (const tags of [{ team: 'web' }, {}, { team: 'api' }, {}]) {
    const next = await documents.put(key, tags, version)
    expect(next).toBe((await documents.get(key))?.version ?? 0)
    expect(await documents.put(key, { late: 'yes' }, version)).toBe(false)
    version = Number(next)
  }
})

test('the last tag of a stack can be removed', async () => {
  const documents = await openDocuments()
  await putTags({ documents }, stack, { team: 'web' })
  await putTags({ documents }, stack, {})
  expect(await readTags({ documents }, stack)).toEqual({})
})
