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
    expect(read(line)).toMatchObject({
      ...{ texts: [`${line}\n`], hasLocalPackages: true, buildingLine: line },
    })
  },
)

test.each([
  ['more bytes than the limit', '#'.repeat(1_000_001)],
  ['another encoding', '# coding: utf-7 +AAo-./lib'],
  ['another encoding after a no-break space', '# coding:\u00a0utf-8, coding: utf-7 +AAo-./lib'],
  ['a byte order mark within a line', 'pulumi\ufeff'],
])('a file of requirements with %s counts as one from which pip builds packages', (_, line) => {
  expect(read(line)).toMatchObject({ hasLocalPackages: true, buildingLine: 'requirements.txt' })
})

test('a byte order mark and a declaration of UTF-8 are accepted', () => {
  expect(read('\ufeff# -*- coding: utf-8 -*-', 'pulumi').buildingLine).toBeUndefined()
})

// pip follows a link before `..`, so `link/../base.txt` is a file beside the folder of the link.
test('an included path is resolved as the system does it', () => {
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  symlinkSync('a/b', join(folder, 'link'))
  write('base.txt', 'pulumi')
  write('a/base.txt', './lib')
  expect(read('-r link/../base.txt').buildingLine).toBe('./lib')
})

test('a file that is included under two names includes others from the folders of both', () => {
  mkdirSync(join(folder, 'a'))
  write('a/list.txt', '-r more.txt')
  write('a/more.txt', 'pulumi')
  write('more.txt', './lib')
  symlinkSync('a/list.txt', join(folder, 'list.txt'))
  expect(read('-r a/list.txt', '-r list.txt').buildingLine).toBe('./lib')
})

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
