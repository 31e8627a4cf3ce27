import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashFolder } from './package-hashes.ts'
import { unpackPackage } from './unpack-package.ts'
import { packZip, type ZipMember } from './zip.fixture.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tf-unpack-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

async function unpack(members: readonly ZipMember[]): Promise<string> {
  const file = join(folder, 'package.zip')
  const target = join(folder, 'target')
  writeFileSync(file, packZip(members))
  await unpackPackage(file, target, 'thing 1.0.0')
  return target
}

const content = Buffer.from('content\n')

test('a package is unpacked with its folders, and its executable may be executed', async () => {
  const target = await unpack([
    { name: 'terraform-provider-thing', content },
    { name: 'docs/', content: Buffer.alloc(0) },
    { name: 'docs/README', content },
  ])
  expect(readFileSync(join(target, 'docs/README'))).toEqual(content)
  expect(statSync(join(target, 'terraform-provider-thing')).mode & 0o777).toBe(0o755)
  expect(statSync(join(target, 'docs/README')).mode & 0o111).toBe(0)
})

test.each(['../outside', '/outside', 'a/../../outside', 'a\\outside', 'C:/outside'])(
  'a package with a file %s is refused',
  async name => {
    const unpacking = unpack([{ name, content }])
    await expect(unpacking).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
    expect(existsSync(join(folder, 'outside'))).toBe(false)
  },
)

test('a package with a link is refused', async () => {
  const unpacking = unpack([{ name: 'link', content: Buffer.from('/etc'), mode: 0o120777 }])
  await expect(unpacking).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
})

test('a package that has a file twice is refused each time, and never ends the process', async () => {
  // An error without a listener would end the process, but only in some of the rounds.
  for (let round = 0; round < 300; round += 1) {
    const unpacking = unpack([
      { name: 'twice', content },
      { name: 'twice', content },
    ])
    await expect(unpacking).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
    rmSync(join(folder, 'target'), { recursive: true })
  }
})

test('a file that is not a zip file is refused', async () => {
  const file = join(folder, 'package.zip')
  writeFileSync(file, 'nonsense')
  await expect(unpackPackage(file, folder, 'thing 1.0.0')).rejects.toMatchObject({
    code: 'ARCHIVE_UNREADABLE',
  })
})

test("the hash of a folder equals that of Go's dirhash", async () => {
  const target = await unpack([
    { name: 'b', content: Buffer.from('two\n') },
    { name: 'a/c', content: Buffer.from('one\n') },
  ])
  expect(await hashFolder(target)).toBe('h1:MTCW/ttiog+xMSOIA7M/OYf11vSHlQJ7npA8TQSxmU8=')
})
