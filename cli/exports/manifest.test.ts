import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { manifestName, readCheckedManifest } from './manifest.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-manifest-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Reads the manifest of an export with one stack and these members. */
function read(id: string, members: Readonly<Record<string, unknown>> = {}) {
  const counts = { history: 0, resources: 0, version: 0 }
  const stacks = [{ id, folder: 'stacks/0', ...counts, secrets: '' }]
  const manifest = { format: 1, createdAt: '', stacks, members }
  writeFileSync(join(folder, manifestName), JSON.stringify(manifest))
  return readCheckedManifest(folder)
}

test.each(['organization/shop/dev', 'organization/-/..a', 'organization/a.b/c_d-1'])(
  'a manifest with the stack %s is accepted',
  async id => {
    expect((await read(id)).stacks).toMatchObject([{ id }])
  },
)

test.each([
  ...['organization/shop/a b', 'organization/../dev', 'organization/shop/..', 'other/shop/dev'],
  ...['organization/shop/\u001b[2Jdev', 'organization/shop/dev\n', 'organization/shop/dev?force=1'],
  `organization/shop/${'a'.repeat(101)}`,
])('a manifest with the stack %j is refused', async id => {
  await expect(read(id)).rejects.toMatchObject({ code: 'EXPORT_INVALID' })
})

test('the error of an export shows no control characters of the names of its files', async () => {
  const members = { 'a\u001b[2J': { bytes: 0, sha256: '0'.repeat(64) } }
  await expect(read('organization/shop/dev', members)).rejects.toThrow('a\\u{1b}[2J is missing')
})
