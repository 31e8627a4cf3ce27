import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOtherPlatform } from './binary-platform.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'binaries-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(...bytes: readonly number[]): string {
  const file = join(folder, 'program')
  writeFileSync(file, Buffer.from(bytes))
  return file
}

/** Creates the first 20 bytes of an ELF file. The bytes 18 and 19 are the code of the machine. */
const createElf = (machine: number): readonly number[] => [
  ...[0x7f, 0x45, 0x4c, 0x46, ...Array<number>(14).fill(0), machine, 0],
]

test.each([
  ['a binary for the machine', createElf(0x3e), undefined],
  ['a binary for arm64', createElf(0xb7), 'linux/arm64'],
  ['a binary for another machine', createElf(0x08), 'linux/machine 8'],
  ['a binary for macOS', [0xcf, 0xfa, 0xed, 0xfe], 'macOS'],
  ['a binary for Windows', [0x4d, 0x5a, 0x90], 'Windows'],
  ['a script', [0x23, 0x21, 0x2f], undefined],
  ['an empty file', [], undefined],
])('%s is recognized by its first bytes', (_, bytes, platform) => {
  expect(findOtherPlatform(write(...bytes), 'x64')).toBe(platform)
})
