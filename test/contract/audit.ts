import { describe, expect, test } from 'vitest'
import type { AuditEntry, AuditPort } from '../../shared/ports/audit.ts'
import { toEpochMs, type OpenAdapter, withAdapter } from './open-adapter.ts'

let entries = 0

function createEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  entries += 1
  const id = `e${entries}-${process.pid}-${Date.now()}`
  return {
    id,
    at: toEpochMs(entries),
    who: 'ci',
    from: '127.0.0.1',
    what: 'POST /v1/stacks',
    kind: 'asked',
    request: id,
    ...fields,
  }
}

/** Tests the audit log: append-only, in the order of its appends. */
export function auditContract(
  name: string,
  open: OpenAdapter<{ readonly audit: AuditPort }>,
): void {
  describe(`audit: ${name}`, () => {
    let audit: AuditPort
    withAdapter(open, adapter => {
      audit = adapter.audit
    })

    test('entries are read newest first, in pages, in the order of their appends', async () => {
      const appended = [
        createEntry(),
        createEntry({ kind: 'answered', status: 201 }),
        createEntry(),
      ]
      for (const one of appended) await audit.append(one)
      const page = await audit.read(0, 2)
      expect(page.map(({ id }) => id)).toEqual([appended[2]?.id, appended[1]?.id])
      const [, older] = page
      const [last] = await audit.read(older?.position ?? 0, 1)
      expect(last).toEqual({ ...appended[0], position: expect.any(Number) })
      expect(older).toMatchObject({ kind: 'answered', status: 201 })
    })

    test('an entry that is appended twice is stored once, in its first form', async () => {
      const one = createEntry()
      await audit.append(one)
      await audit.append(createEntry())
      await audit.append({ ...one, who: 'another' })
      const found = (await audit.read(0, 10)).filter(({ id }) => id === one.id)
      expect(found).toEqual([{ ...one, position: expect.any(Number) }])
    })

    test('concurrent entries are all stored, each at its own position', async () => {
      const many = Array.from({ length: 20 }, () => createEntry())
      await Promise.all(many.map(one => audit.append(one)))
      const read = await audit.read(0, 20)
      expect(new Set(read.map(({ id }) => id))).toEqual(new Set(many.map(({ id }) => id)))
      expect(new Set(read.map(({ position }) => position)).size).toBe(20)
    })
  })
}
