import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { packProgram } from '../../programs/archive/program-archive.ts'
import { limits } from '../../config/limits.ts'
import { type BlobHash, stackIdOf } from '../../records/ids.ts'
import { createProgramFolders } from './program-folder.ts'

const stack = stackIdOf('p', 'dev')
let folder: string
let program: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-program-'))
  program = join(folder, 'program')
  put('Pulumi.yaml', 'name: p\nruntime: nodejs\n')
  put('index.js', 'console.log(1)\n')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(path: string, text: string, mode = 0o644): void {
  const file = join(program, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text, { mode })
}

/** Opens the program archive `bytes` as a function does, and counts the downloads. */
async function unpackOnce(bytes: Uint8Array, name = 'a') {
  let downloadCount = 0
  const get = async (): Promise<Uint8Array> => {
    downloadCount += 1
    return bytes
  }
  const folders = createProgramFolders({ get }, join(folder, 'scratch'))
  const programFolder = await folders.open(stack, name.repeat(64) as BlobHash)
  return { programFolder, folders, countDownloads: () => downloadCount }
}

describe('a packed and unpacked program', () => {
  test('is the same folder, with its links, modes and dependencies', async () => {
    put('bin/run', '#!/bin/sh\n', 0o755)
    put('node_modules/dep/index.js', 'dep')
    symlinkSync('dep/index.js', join(program, 'node_modules', 'link'))
    const { programFolder } = await unpackOnce((await packProgram(program)).bytes)
    expect(readFileSync(join(programFolder, 'index.js'), 'utf8')).toBe('console.log(1)\n')
    expect(readFileSync(join(programFolder, 'node_modules/dep/index.js'), 'utf8')).toBe('dep')
    expect(readlinkSync(join(programFolder, 'node_modules/link'))).toBe('dep/index.js')
    expect(statSync(join(programFolder, 'bin/run')).mode & 0o111).not.toBe(0)
  })

  test('has the same bytes, whenever its files were written', async () => {
    const first = await packProgram(program)
    put('index.js', 'console.log(1)\n')
    const second = await packProgram(program)
    expect(second.hash).toBe(first.hash)
    expect(Buffer.compare(Buffer.from(second.bytes), Buffer.from(first.bytes))).toBe(0)
    expect(first.fileCount).toBe(2)
  })

  test('excludes the files that ignore files name, but dependencies only by .antichainignore', async () => {
    put('.gitignore', 'node_modules\n*.log\n')
    put('.antichainignore', 'node_modules/large\nnotes/\n')
    for (const path of ['a.log', 'notes/n.md', '.git/config', 'node_modules/large/x.js'])
      put(path, 'x')
    put('node_modules/dep/a.log', 'kept')
    const { programFolder } = await unpackOnce((await packProgram(program)).bytes)
    for (const path of ['a.log', 'notes', '.git', 'node_modules/large'])
      expect(existsSync(join(programFolder, path)), path).toBe(false)
    expect(existsSync(join(programFolder, 'node_modules/dep/a.log'))).toBe(true)
  })

  test('is downloaded once, and not again by a later process', async () => {
    const { bytes } = await packProgram(program)
    const { programFolder, folders, countDownloads } = await unpackOnce(bytes)
    expect(await folders.open(stack, 'a'.repeat(64) as BlobHash)).toBe(programFolder)
    expect(countDownloads()).toBe(1)
    const next = await unpackOnce(bytes)
    expect([next.programFolder, next.countDownloads()]).toEqual([programFolder, 0])
  })
})

describe('a program archive', () => {
  const isLeftBehind = (): boolean =>
    existsSync(join(folder, 'scratch', 'programs', 'a'.repeat(64)))

  test.each([
    ['that is not in gzip format', Buffer.from('nonsense')],
    ['that is cut off', gzipSync(Buffer.alloc(100)).subarray(0, 15)],
  ])('%s is refused, and no files are left', async (_what, bytes) => {
    await expect(unpackOnce(bytes)).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
    expect(isLeftBehind()).toBe(false)
  })

  test('whose header states a size above the limit is refused, and no files are left', async () => {
    // Offsets in a tar header: 100 mode, 124 size, 136 time, 148 checksum, 257 format.
    const header = Buffer.alloc(512)
    header.write('index.js\0')
    header.write('0000644\0', 100)
    header.write(`${(limits.programBytesMax + 1).toString(8).padStart(11, '0')}\0`, 124)
    header.write('0'.repeat(11), 136)
    header.write('        0', 148)
    header.write('ustar\u000000', 257)
    const sum = header.reduce((all, byte) => all + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const bytes = gzipSync(Buffer.concat([header, Buffer.alloc(1_000_000)]))
    await expect(unpackOnce(bytes)).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
    expect(isLeftBehind()).toBe(false)
  })

  test('with a path out of its folder is refused, and no file is written there', async () => {
    const { bytes } = await packProgram(program)
    const { gunzipSync } = await import('node:zlib')
    const raw = gunzipSync(bytes)
    const at = raw.indexOf('index.js')
    // The test writes another file name into a tar header, and recomputes the header's checksum.
    // The header begins with the name, and the name with `./`.
    raw.write('../out.js\0', at - 2)
    const header = raw.subarray(at - 2, at - 2 + 512)
    header.fill(' ', 148, 156)
    const sum = header.reduce((all, byte) => all + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    await expect(unpackOnce(gzipSync(raw))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
    expect(existsSync(join(folder, 'scratch', 'programs', 'out.js'))).toBe(false)
    expect(isLeftBehind()).toBe(false)
  })
})
