import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { digestProgram } from './program-digest.ts'

let program: string
beforeEach(() => {
  program = mkdtempSync(join(tmpdir(), 'antichain-digest-'))
  write('index.ts', 'export const one = 1')
})
afterEach(() => rmSync(program, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(program, path)), { recursive: true })
  writeFileSync(join(program, path), text)
}

test('a change of a source file in any folder changes the digest', () => {
  const before = digestProgram(program)
  write('lib/deep/other.js', 'exports.two = 2')
  const after = digestProgram(program)
  expect(after).not.toBe(before)
  write('lib/deep/other.js', 'exports.two = 3')
  expect(digestProgram(program)).not.toBe(after)
})

test('a changed source file in Python or Go changes the digest, unless a virtual environment contains it', () => {
  write('main.py', 'one = 1\n')
  write('main.go', 'package main\n')
  write('env/pyvenv.cfg', '')
  const before = digestProgram(program)
  write('env/lib/package.py', 'two = 2\n')
  expect(digestProgram(program)).toBe(before)
  write('main.py', 'one = 2\n')
  const changed = digestProgram(program)
  expect(changed).not.toBe(before)
  write('main.go', 'package other\n')
  expect(digestProgram(program)).not.toBe(changed)
})

test('ignored files that a deployment writes do not change the digest', () => {
  write('.gitignore', 'site\n')
  write('lib/.antichainignore', 'made-*.json\n')
  const before = digestProgram(program)
  write('site/assets/keys.js', 'made')
  write('lib/made-1.json', '{}')
  expect(digestProgram(program)).toBe(before)
  write('lib/kept.json', '{}')
  expect(digestProgram(program)).not.toBe(before)
})

test('a rule in a nearer folder takes precedence', () => {
  write('.gitignore', '*.json\n')
  write('lib/.gitignore', '!kept.json\n')
  const before = digestProgram(program)
  write('other.json', '{}')
  expect(digestProgram(program)).toBe(before)
  write('lib/kept.json', '{}')
  expect(digestProgram(program)).not.toBe(before)
})
