import { expect, test } from 'vitest'
import type { CliSession } from '../session/session.ts'
import { importAudit } from './import-audit.ts'

const entryOf = (index: number, what = 'POST /v1/tokens') => ({
  id: `e${index}`,
  at: index,
  who: 'ana',
  from: '192.0.2.1',
  what,
  kind: 'asked' as const,
  request: `r${index}`,
})

/** Imports entries into an API that records its calls. `present`: the entries that the API has. */
async function importEntries(
  entries: readonly ReturnType<typeof entryOf>[],
  present: readonly string[] = [],
) {
  const calls: { readonly path: string; readonly ids: readonly string[] }[] = []
  const bytes: number[] = []
  const lookedUpIds: string[] = []
  const callApi = async ({ path, body }: { readonly path: string; readonly body?: unknown }) => {
    const id = new URL(path, 'http://here').searchParams.get('entry')
    if (id !== null) {
      lookedUpIds.push(id)
      return { isImported: present.includes(id) }
    }
    const page = body as { readonly entries: readonly { readonly id: string }[] }
    calls.push({ path, ids: page.entries.map(({ id }) => id) })
    bytes.push(Buffer.byteLength(JSON.stringify(body)))
    return {}
  }
  const session = { openEngine: async () => ({ callApi }), printToStderr: () => undefined }
  const plan = { source: 'https://source.test', entries, omitted: 0, isImported: false }
  await importAudit(session as unknown as CliSession, plan)
  return { calls, bytes, lookedUpIds }
}

test('an audit log is sent in pages of one import, oldest entry first', async () => {
  const newestFirst = Array.from({ length: 60 }, (_, index) => entryOf(60 - index))
  const { calls } = await importEntries(newestFirst)
  expect(calls.map(({ ids }) => ids.length)).toEqual([25, 25, 10])
  expect(calls.flatMap(({ ids }) => ids)).toEqual(
    Array.from({ length: 60 }, (_, index) => `e${index + 1}`),
  )
  const paths = new Set(calls.map(({ path }) => path))
  expect([...paths]).toEqual([expect.stringMatching(/^\/v1\/audit\/imports\/[0-9a-f]{16}$/)])
  // In the log, another export of the same source is another request.
  const [laterCall] = (await importEntries([entryOf(61), ...newestFirst])).calls
  expect(paths.has(laterCall?.path ?? '')).toBe(false)
})

test('no page exceeds the maximum size of a request', async () => {
  const entries = Array.from({ length: 40 }, (_, index) => entryOf(index, 'ü'.repeat(2_000)))
  const { calls, bytes } = await importEntries(entries)
  expect(calls.flatMap(({ ids }) => ids)).toHaveLength(40)
  expect(Math.max(...bytes)).toBeLessThan(128 * 1024)
})

// Each page adds a request to the log, so a later import must not send the pages of an earlier one.
test.each([0, 1, 25, 26, 999, 1_000, 2_000])(
  'a later import begins with the first page that lacks an entry: %i are present',
  async presentCount => {
    const entries = Array.from({ length: 2_010 }, (_, index) => entryOf(2_010 - index))
    const present = Array.from({ length: presentCount }, (_, index) => `e${index + 1}`)
    const { calls, lookedUpIds } = await importEntries(entries, present)
    const firstPage = Math.floor(presentCount / 25)
    expect(calls[0]?.ids[0]).toBe(`e${firstPage * 25 + 1}`)
    expect(calls).toHaveLength(81 - firstPage)
    // A binary search over 81 pages needs at most seven lookups.
    expect(lookedUpIds.length).toBeLessThan(8)
  },
)

test('an import into a log that has removed old entries sends all later ones', async () => {
  const entries = Array.from({ length: 500 }, (_, index) => entryOf(500 - index))
  const present = Array.from({ length: 100 }, (_, index) => `e${index + 301}`)
  const { calls } = await importEntries(entries, present)
  const ids = new Set(calls.flatMap(call => call.ids))
  expect(Array.from({ length: 100 }, (_, index) => ids.has(`e${index + 401}`))).not.toContain(false)
})
