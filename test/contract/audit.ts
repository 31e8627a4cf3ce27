import { describe, expect, test } from 'vitest'
import type { AuditEntry, AuditPort } from '../../shared/ports/audit.ts'
import { toEpochMs, type OpenAdapter, withAdapter } from './open-adapter.ts'

let entryCount = 0

function createEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  entryCount += 1
  const id = `e${entryCount}-${process.pid}-${Date.now()}`
  return {
    id,
    at: toEpochMs(entryCount),
    who: 'ci',
    from: '127.0.0.1',
    what: 'POST /v1/stacks',
    kind: 'asked',
    request: id,
    ...fields,
  }
}

/** Tests the audit log: append-only, in the order of its appends. */
export function defineAuditContract(
  name: string,
  open: OpenAdapter<{ readonly audit: AuditPort }>,
): void {
  describe(`audit: ${name}`, () => {
    let audit: AuditPort
    withAdapter(open, adapter => {
      audit = adapter.audit
    })

    test('entries are read in pages, from the last append to the first', async () => {
      const appended = [
        createEntry(),
        createEntry({ kind: 'answered', status: 201 }),
        createEntry(),
      ]
      for (const entry of appended) await audit.append(entry)
      const page = await audit.read(0, 2)
      expect(page.map(({ id }) => id)).toEqual([appended[2]?.id, appended[1]?.id])
      const [, older] = page
      const [last] = await audit.read(older?.position ?? 0, 1)
      expect(last).toEqual({ ...appended[0], position: expect.any(Number) })
      expect(older).toMatchObject({ kind: 'answered', status: 201 })
    })

    test('an entry that is appended twice is stored once, in its first form', async () => {
      const entry = createEntry()
      await audit.append(entry)
      await audit.append(createEntry())
      await audit.append({ ...entry, who: 'another' })
      const storedEntries = (await audit.read(0, 10)).filter(({ id }) => id === entry.id)
      expect(storedEntries).toEqual([{ ...entry, position: expect.any(Number) }])
    })

    test('an imported entry keeps its source, its time and its actor, beside an own entry', async () => {
      const ownEntry = createEntry()
      const fields = { importedFrom: 'https://source.test', at: toEpochMs(1), who: 'ana' }
      const imported = createEntry({ ...fields, request: ownEntry.request })
      expect([await audit.has(ownEntry.id), await audit.has(imported.id)]).toEqual([false, false])
      await audit.append(ownEntry)
      await audit.append(imported)
      await audit.append({ ...imported, importedFrom: 'https://other.test' })
      expect([await audit.has(ownEntry.id), await audit.has(imported.id)]).toEqual([true, true])
      const [newest, older] = await audit.read(0, 2)
      expect(newest).toEqual({ ...imported, position: expect.any(Number) })
      expect(older).toEqual({ ...ownEntry, position: expect.any(Number) })
    })

    test('concurrent entries are all stored, each at its own position', async () => {
      const concurrentEntries = Array.from({ length: 20 }, () => createEntry())
      await Promise.all(concurrentEntries.map(entry => audit.append(entry)))
      const storedEntries = await audit.read(0, 20)
      expect(new Set(storedEntries.map(({ id }) => id))).toEqual(
        new Set(concurrentEntries.map(({ id }) => id)),
      )
      expect(new Set(storedEntries.map(({ position }) => position)).size).toBe(20)
    })
  })
}
