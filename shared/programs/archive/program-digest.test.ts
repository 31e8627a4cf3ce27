import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { digestProgram } from './program-digest.ts'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'antichain-digest-'))
  write('index.ts', 'export const one = 1')
})
afterEach(() => rmSync(place, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(place, path)), { recursive: true })
  writeFileSync(join(place, path), text)
}

test('a changed source changes the digest in any folder', () => {
  const before = digestProgram(place)
  write('lib/deep/other.js', 'exports.two = 2')
  const after = digestProgram(place)
  expect(after).not.toBe(before)
  write('lib/deep/other.js', 'exports.two = 3')
  expect(digestProgram(place)).not.toBe(after)
})

test('ignored files that a deployment writes do not change the digest', () => {
  write('.gitignore', 'site\n')
  write('lib/.antichainignore', 'made-*.json\n')
  const before = digestProgram(place)
  write('site/assets/keys.js', 'made')
  write('lib/made-1.json', '{}')
  expect(digestProgram(place)).toBe(before)
  write('lib/kept.json', '{}')
  expect(digestProgram(place)).not.toBe(before)
})

test('a rule in a nearer folder takes precedence', () => {
  write('.gitignore', '*.json\n')
  write('lib/.gitignore', '!kept.json\n')
  const before = digestProgram(place)
  write('other.json', '{}')
  expect(digestProgram(place)).toBe(before)
  write('lib/kept.json', '{}')
  expect(digestProgram(place)).not.toBe(before)
})
