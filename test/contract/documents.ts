import { describe, expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { DocumentKey, DocumentsPort, StoredDocument } from '../../shared/ports/documents.ts'
import { type OpenAdapter, createStackId, withAdapter } from './open-adapter.ts'

/** Tests small named documents with versions. */
export function defineDocumentsContract(
  name: string,
  open: OpenAdapter<{ readonly documents: DocumentsPort }>,
): void {
  describe(`documents: ${name}`, () => {
    let documents: DocumentsPort
    withAdapter(open, adapter => {
      documents = adapter.documents
    })
    const createKey = (): DocumentKey => ({ kind: 'webhook', scope: createStackId(), name: 'main' })
    const createDocument = async (key: DocumentKey, value: unknown = { a: 1 }): Promise<number> =>
      Number(await documents.put(key, value, 0))

    test('a document is read as it was put, and a missing one is undefined', async () => {
      const key = createKey()
      const value = { text: 'ü\n"', list: [1, null, { deep: true }] }
      expect(await documents.get(key)).toBeUndefined()
      const version = await documents.put(key, value, 0)
      expect(await documents.get(key)).toEqual({ key, version, value })
    })

    test('a change requires the current version', async () => {
      const key = createKey()
      expect(await documents.put(key, {}, 3)).toBe(false)
      const first = await createDocument(key)
      expect(await documents.put(key, { a: 2 }, 0)).toBe(false)
      const second = Number(await documents.put(key, { a: 3 }, first))
      expect(second).toBeGreaterThan(first)
      expect(await documents.put(key, { a: 4 }, first)).toBe(false)
      expect((await documents.get(key))?.value).toEqual({ a: 3 })
    })

    test('of many concurrent changes of one version one succeeds', async () => {
      const key = createKey()
      const version = await createDocument(key)
      const puts = Array.from({ length: 10 }, (_, index) => documents.put(key, { index }, version))
      expect((await Promise.all(puts)).filter(answer => answer !== false)).toHaveLength(1)
    })

    test('of many concurrent creates of one document one succeeds', async () => {
      const key = createKey()
      const puts = Array.from({ length: 10 }, (_, index) => documents.put(key, { index }, 0))
      expect((await Promise.all(puts)).filter(answer => answer !== false)).toHaveLength(1)
    })

    test('kind, scope and name together identify a document', async () => {
      const key = createKey()
      await createDocument(key, 'first')
      const otherKeys: readonly DocumentKey[] = [
        { ...key, kind: 'schedule' },
        { ...key, scope: createStackId() },
        { ...key, name: 'other' },
      ]
      for (const other of otherKeys) expect(await documents.get(other)).toBeUndefined()
      for (const other of otherKeys) await createDocument(other, other.name)
      expect((await documents.get(key))?.value).toBe('first')
    })

    test('a removal requires the version, and may be repeated', async () => {
      const key = createKey()
      const version = await createDocument(key)
      expect(await documents.remove(key, version + 1)).toBe(false)
      expect(await documents.remove(key, version)).toBe(true)
      expect(await documents.remove(key, version)).toBe(true)
      expect(await documents.get(key)).toBeUndefined()
    })

    test('the version of a removed document cannot change or remove its successor', async () => {
      const key = createKey()
      const oldVersion = await createDocument(key, 'old')
      await documents.remove(key, oldVersion)
      expect(await documents.put(key, 'late', oldVersion)).toBe(false)
      const version = await createDocument(key, 'new')
      expect(version).toBeGreaterThan(oldVersion)
      expect(await documents.put(key, 'late', oldVersion)).toBe(false)
      expect(await documents.remove(key, oldVersion)).toBe(false)
      expect((await documents.get(key))?.value).toBe('new')
    })

    test('an expiring document counts as absent from its expiry on', async () => {
      const scope = createStackId()
      const past = (Date.now() - 5_000) as EpochMs
      const future = (Date.now() + 3_600_000) as EpochMs
      const keyOf = (name: string): DocumentKey => ({ kind: 'token', scope, name })
      const put = (name: string, version: number, expiresAt = future) =>
        documents.putExpiring({ key: keyOf(name), value: { version }, version, expiresAt })
      expect(await put('expired', 0, past)).toBe(1)
      expect(await documents.get(keyOf('expired'))).toBeUndefined()
      expect(await put('living', 0)).toBe(1)
      expect(await put('living', 0)).toBe(false)
      expect(await documents.get(keyOf('living'))).toMatchObject({ version: 1 })
      const { documents: listed } = await documents.list('token', '', scope)
      expect(listed.map(({ key }) => key.name)).toEqual(['living'])
      // A change replaces the expiry.
      expect(await put('living', 1, past)).toBe(2)
      expect(await documents.get(keyOf('living'))).toBeUndefined()
      // An expired document does not prevent a new one, also while the store still has it.
      expect(await put('living', 0)).not.toBe(false)
      expect(await documents.get(keyOf('living'))).toMatchObject({ value: { version: 0 } })
    })

    test('limits of calls are separate for each stack and for the installation', async () => {
      const [scope, other] = [createStackId(), createStackId()]
      for (const limitScope of [scope, other, '*'] as const)
        await createDocument({
          kind: 'call-limit',
          scope: limitScope,
          name: `limit${scope.slice(-8)}`,
        })
      const { documents: listed } = await documents.list('call-limit', '', scope)
      expect(listed.map(({ key }) => key.scope)).toEqual([scope])
    })

    test('a list contains every document of a kind once, over pages, by scope and name', async () => {
      const scope = createStackId()
      const names = Array.from(
        { length: triggerLimits.documentsPerPage + 3 },
        (_, index) => `n${index}`,
      )
      for (const documentName of names)
        await createDocument({ kind: 'token', scope, name: documentName }, documentName)
      await createDocument({ kind: 'token', scope: createStackId(), name: 'foreign' })
      await createDocument({ kind: 'schedule', scope, name: 'other-kind' })
      const removedVersion = await createDocument({ kind: 'token', scope, name: 'n999' })
      await documents.remove({ kind: 'token', scope, name: 'n999' }, removedVersion)
      const scopeDocuments = await readAllTokens(documents, scope)
      expect(scopeDocuments.map(({ key }) => key.name)).toEqual(names.toSorted())
      expect(scopeDocuments.map(({ value }) => value)).toEqual(names.toSorted())
      const allDocuments = await readAllTokens(documents)
      expect(allDocuments.filter(({ key }) => key.scope === scope)).toEqual(scopeDocuments)
      expect(allDocuments.map(({ key }) => key.name)).toContain('foreign')
    })

    test('a list continues after any number of removed documents', async () => {
      const scope = createStackId()
      const count = triggerLimits.documentsPerPage * 2 + 3
      const names = Array.from(
        { length: count },
        (_, index) => `n${String(index).padStart(3, '0')}`,
      )
      for (const documentName of names) {
        const version = await createDocument({ kind: 'token', scope, name: documentName })
        await documents.remove({ kind: 'token', scope, name: documentName }, version)
      }
      await createDocument({ kind: 'token', scope, name: 'z' })
      expect((await readAllTokens(documents, scope)).map(({ key }) => key.name)).toEqual(['z'])
    })

    test('names and scopes that are prefixes of others are listed separately', async () => {
      const scope = createStackId()
      const names = ['a', 'a-', 'a.b', 'a0', 'aa', 'b', 'B', '_'.padStart(2, 'a')]
      for (const documentName of names)
        await createDocument({ kind: 'token', scope, name: documentName })
      const longer = `${scope}-x` as DocumentKey['scope']
      await createDocument({ kind: 'token', scope: longer, name: 'a' })
      const keys = (await readAllTokens(documents, scope)).map(({ key }) => key)
      expect(keys.map(key => key.name)).toEqual(names.toSorted())
      expect(new Set(keys.map(key => key.scope))).toEqual(new Set([scope]))
      expect((await readAllTokens(documents, longer)).map(({ key }) => key.scope)).toEqual([longer])
    })

    test('a list accepts an invalid cursor, and reports no document as unreadable', async () => {
      const scope = createStackId()
      await createDocument({ kind: 'token', scope, name: 'a' })
      for (const cursor of ['~', ' ', `${scope} `, '\u{10FFFF}', 'z\nz'])
        for (const page of [
          await documents.list('token', cursor, scope),
          await documents.list('token', cursor),
        ])
          expect(page.unreadable).toEqual([])
    })

    test('a document of the maximum size is stored; a larger one and an invalid name are refused', async () => {
      const key = createKey()
      const refused = { code: 'DOCUMENT_INVALID' }
      const text = 'x'.repeat(triggerLimits.documentBytesMax - 2)
      const version = await createDocument(key, text)
      expect((await documents.get(key))?.value).toBe(text)
      await expect(documents.put(key, `${text}x`, version)).rejects.toMatchObject(refused)
      for (const invalidName of ['', '../x', 'a b', 'a/b', '-a', 'x'.repeat(101), 'a\nb'])
        await expect(documents.put({ ...key, name: invalidName }, {}, 0)).rejects.toMatchObject(
          refused,
        )
    })
  })
}

async function readAllTokens(
  documents: DocumentsPort,
  scope?: DocumentKey['scope'],
): Promise<readonly StoredDocument[]> {
  const storedDocuments: StoredDocument[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page = await documents.list('token', cursor, scope)
    expect(page.documents.length).toBeLessThanOrEqual(triggerLimits.documentsPerPage)
    expect(page.unreadable).toEqual([])
    storedDocuments.push(...page.documents)
    cursor = page.next
  }
  return storedDocuments
}
