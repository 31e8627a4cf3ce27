import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PythonRequirements, readRequirements } from './python-requirements.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'requirements-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, ...lines: readonly string[]): void {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
}

function read(...lines: readonly string[]): PythonRequirements {
  write('requirements.txt', ...lines)
  return readRequirements(folder, join(folder, 'requirements.txt'))
}

test('the texts of included requirements and constraints are read once, each from its folder', () => {
  mkdirSync(join(folder, 'more'))
  write('more/base.txt', '-climits.txt', 'pulumi-random')
  write('more/limits.txt', 'pulumi<4')
  write('last.txt', 'six')
  const { texts, hasLocalPackages } = read(
    ...['-r more/base.txt', '--requirement=more/base.txt', '-rlast.txt'],
  )
  expect(texts.map(text => text.split('\n')[0])).toEqual([
    ...['-r more/base.txt', '-climits.txt', 'pulumi<4', 'six'],
  ])
  expect(hasLocalPackages).toBe(false)
})

test.each(['more', 'none.txt', '../../../../dev/zero', 'zero', 'large.txt'])(
  'the included path %s is not read, because it is no small regular file of the project',
  path => {
    mkdirSync(join(folder, 'more'))
    symlinkSync('/dev/zero', join(folder, 'zero'))
    write('large.txt', '#'.repeat(1_000_001))
    const line = `-r ${path}`
    expect(read(line)).toMatchObject({ texts: [`${line}\n`], hasLocalPackages: true })
  },
)

test('only hashes of requirements determine the versions of all packages', () => {
  expect(read('pulumi==3.1.0').hasHashes).toBe(false)
  write('limits.txt', 'pulumi==3.1.0 --hash=sha256:00')
  expect(read('pulumi', '-c limits.txt').hasHashes).toBe(false)
  expect(read('-r limits.txt').hasHashes).toBe(true)
  expect(read('pulumi==3.1.0 \\', '    --hash=sha256:00').hasHashes).toBe(true)
})

test.each(['-e .', '-e.', '--editable lib', '--editable=./lib', '--pre -e ./lib'])(
  'the requirement %s is editable',
  line => {
    expect(read('pulumi', `${line} # a comment`).editableLine).toBe(line)
  },
)
