import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from './sources.ts'

const page = readFileSync(join(projectFolder, 'docs', 'security.md'), 'utf8')

/** A proof in a line of the threat model: a file and tests in it. */
interface Proof {
  readonly file: string
  readonly names: readonly string[]
}

function parseProofs(cell: string): readonly Proof[] {
  return [...cell.matchAll(/\[[^\]]+\]\(\.\.\/([^)]+)\): ((?:'[^']+'(?: · )?)+)/g)].map(
    ([, file = '', names = '']) => ({
      file,
      names: [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
    }),
  )
}

/** Returns the lines of all tables whose last column is the proof. */
function readThreats(): readonly string[] {
  const lines = page.slice(page.indexOf('## Threat model')).split('\n')
  const isLine = (line: string): boolean =>
    line.startsWith('| ') && !line.startsWith('| Actor | Tries to |')
  return lines.filter(isLine)
}

/** Returns the faults of a line: it names no test, or one that does not exist. */
function listMissingProofs(line: string): readonly string[] {
  const proofs = parseProofs(line.split(' | ').at(-1) ?? '')
  if (proofs.length === 0) return [`nothing proves: ${line}`]
  return proofs.flatMap(({ file, names }) => {
    const path = join(projectFolder, file)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return names
      .filter(name => !text.includes(`'${name}'`))
      .map(name => `${file} has no test '${name}'`)
  })
}

test('every line of the threat model names existing tests', () => {
  expect(readThreats().flatMap(listMissingProofs)).toEqual([])
})

test('every rule of the permissions in docs/aws.md names existing tests', () => {
  const awsPage = readFileSync(join(projectFolder, 'docs', 'aws.md'), 'utf8')
  const start = awsPage.indexOf('| Rule | Tests |')
  const rules = awsPage.slice(start, awsPage.indexOf('\n\n', start)).split('\n').slice(2)
  expect(rules.length).toBeGreaterThan(8)
  expect(rules.flatMap(listMissingProofs)).toEqual([])
})

test('the threat model covers the required topics', () => {
  const all = readThreats().join('\n')
  for (const word of ['fork', 'link out', 'size', 'role', 'private networks', 'log', 'checksum'])
    expect(all).toContain(word)
  expect(readThreats().length).toBeGreaterThan(30)
})
