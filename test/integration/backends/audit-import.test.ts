import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashMember } from '../../../cli/exports/manifest.ts'
import { type CommandBench, createCommandBench } from './command-bench.ts'

let bench: CommandBench
beforeEach(() => {
  bench = createCommandBench()
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const run = async (...args: readonly string[]): Promise<string> => {
  const result = await bench.run(...args)
  expect([args, result.exit, result.err]).toEqual([args, 0, expect.any(String)])
  return result.out
}

/** An entry of the audit log, as `antichain audit ls --json` prints it. */
interface AuditRow {
  readonly what: string
  readonly kind: string
  readonly importedFrom?: string
}

const readAudit = async (): Promise<readonly AuditRow[]> =>
  JSON.parse(await run('audit', 'ls', '--json', '--limit', '1000'))

/** Writes an export whose audit log has these entries, newest first. */
async function writeExport(entries: readonly object[]): Promise<string> {
  bench.env['ANTICHAIN_HOME'] = join(bench.root, 'source')
  const folder = join(bench.root, `export-${entries.length}`)
  await run('platform', 'export', folder)
  const file = join(folder, 'audit.jsonl')
  writeFileSync(file, entries.map(entry => `${JSON.stringify(entry)}\n`).join(''))
  const manifestFile = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
  manifest.members['audit.jsonl'] = await hashMember(file)
  writeFileSync(manifestFile, JSON.stringify(manifest))
  bench.env['ANTICHAIN_HOME'] = join(bench.root, 'target')
  return folder
}

/** Returns the newest entries of a log, newest first. */
const createEntries = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const number = count - index
    const request = `r${number}`
    return {
      id: `${request} asked`,
      at: number,
      who: 'ana',
      from: '',
      what: `POST /${number}`,
      kind: 'asked',
      request,
    }
  })

const listImported = (log: readonly AuditRow[]) =>
  log.filter(entry => entry.importedFrom !== undefined)
const countImportRequests = (log: readonly AuditRow[]): number =>
  log.filter(({ what, kind }) => what.includes('/v1/audit/imports/') && kind === 'asked').length

// If each import sent all pages of a large log, its requests would fill the log of the target.
test('a later import sends only the pages that the target lacks, and the log of the target has each request', async () => {
  await run('platform', 'import', await writeExport(createEntries(60)), '--yes')
  const log = await readAudit()
  expect(listImported(log).map(({ what }) => what)).toEqual(
    createEntries(60).map(({ what }) => what),
  )
  expect(countImportRequests(log)).toBe(3)
  await run('platform', 'import', await writeExport(createEntries(80)), '--yes')
  const later = await readAudit()
  expect(listImported(later).map(({ what }) => what)).toEqual(
    createEntries(80).map(({ what }) => what),
  )
  // The third page has new entries too, and the fourth one has only new ones.
  expect(countImportRequests(later)).toBe(5)
})

test('an unknown field of an entry is not sent, whatever its size', async () => {
  const [entry] = createEntries(1)
  const folder = await writeExport([{ ...entry, note: 'x'.repeat(3_000_000) }])
  await run('platform', 'import', folder, '--yes')
  expect(listImported(await readAudit())).toMatchObject([{ what: 'POST /1' }])
})

test('an entry with a time that is no date is refused before the import', async () => {
  const [entry] = createEntries(1)
  const folder = await writeExport([{ ...entry, at: 8_640_000_000_000_001 }])
  const { exit, err } = await bench.run('platform', 'import', folder, '--yes')
  expect([exit, err]).toEqual([1, expect.stringContaining('EXPORT_INVALID')])
  expect(err).toContain('line 1: at')
  expect(await readAudit()).toEqual([])
})

test('audit ls refuses an endless list of a server', async () => {
  const server = createServer((request, response) => {
    const identity = { name: 'admin', role: 'admin', stacks: '*', groups: ['default'] }
    const json = request.url === '/v1/whoami' ? identity : { items: [], next: '7' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(json))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const token = `act_${'0'.repeat(16)}_${'a'.repeat(43)}`
    await run('login', `http://127.0.0.1:${port}`, '--token', token)
    const { exit, err } = await bench.run('audit', 'ls')
    expect([exit, err]).toEqual([1, expect.stringContaining('API_ANSWER_UNKNOWN')])
  } finally {
    server.close()
  }
})
