import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { list } from 'tar'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createError } from '../../shared/errors/error.ts'
import { packUpload } from './pack-upload.ts'

let root: string
let folder: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'upload-'))
  folder = join(root, 'program')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const options = 'runtime:\n  name: go\n  options: {binary: bin/app}\n'
  writeFileSync(join(folder, 'Pulumi.yaml'), `name: p\n${options}`)
  writeFileSync(join(folder, '.gitignore'), 'bin\n')
  // The first bytes of an ELF file for amd64.
  const header = Buffer.alloc(64)
  header.set([0x7f, 0x45, 0x4c, 0x46])
  header.writeUInt16LE(0x3e, 18)
  writeFileSync(join(folder, 'bin', 'app'), header, { mode: 0o755 })
})
afterAll(() => rmSync(root, { recursive: true }))

const packFor = (arch: string) => packUpload(folder, async () => ({ os: 'linux', arch }))

test('an upload contains the binary that the options name, although git ignores it', async () => {
  const file = join(root, 'upload.tgz')
  writeFileSync(file, (await packFor('x64')).bytes)
  const paths: string[] = []
  await list({ file, onReadEntry: ({ path }) => void paths.push(path) })
  expect(paths).toContain('./bin/app')
})

test('a binary for another platform than that of the server is refused before the upload', async () => {
  await expect(packFor('arm64')).rejects.toMatchObject({
    code: 'PROGRAM_LANGUAGE_MISSING',
    message: expect.stringContaining('built for linux/amd64: build it with `CGO_ENABLED=0'),
  })
})

test('a server that does not report its platform gets the binary unchecked', async () => {
  const upload = packUpload(folder, async () => {
    throw createError('FEATURE_MISSING', 'old')
  })
  expect((await upload).fileCount).toBe(3)
})
