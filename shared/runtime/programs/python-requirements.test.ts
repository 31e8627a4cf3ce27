import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRequirements } from './python-requirements.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'requirements-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, ...lines: readonly string[]): string {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  return name
}

test('the texts of included requirements and constraints are read once, each from its folder', () => {
  mkdirSync(join(folder, 'more'))
  write('more/base.txt', '-c limits.txt', 'pulumi-random')
  write('more/limits.txt', 'pulumi<4')
  const file = write(
    'requirements.txt',
    '-r more/base.txt',
    '--requirement=more/base.txt',
    '-r no.txt',
  )
  const { texts, hasLocalPackages } = readRequirements(folder, file)
  expect(texts.map(text => text.split('\n')[0])).toEqual([
    ...['-r more/base.txt', '-c limits.txt', 'pulumi<4'],
  ])
  expect(hasLocalPackages).toBe(false)
})

test.each(['-e .', './lib', '../lib', '/opt/lib', '.', 'lib @ file:///opt/lib', '--editable lib'])(
  'the requirement %s is a local package',
  line => {
    expect(readRequirements(folder, write('r.txt', 'pulumi', line)).hasLocalPackages).toBe(true)
  },
)

test.each(['pulumi>=3,<4', 'lib @ https://example.com/lib.whl', '--hash=sha256:00', '# -e .'])(
  'the line %s is no local package',
  line => {
    expect(readRequirements(folder, write('r.txt', line)).hasLocalPackages).toBe(false)
  },
)
