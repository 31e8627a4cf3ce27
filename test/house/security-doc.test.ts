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
    line.startsWith('| ') && !line.startsWith('| Who | Tries to |')
  return lines.filter(isLine)
}

test('every line of the threat model names existing tests', () => {
  const wrong: string[] = []
  for (const line of readThreats()) {
    const proofs = parseProofs(line.split(' | ').at(-1) ?? '')
    if (proofs.length === 0) wrong.push(`nothing proves: ${line}`)
    for (const { file, names } of proofs) {
      const path = join(projectFolder, file)
      const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
      for (const name of names)
        if (!text.includes(`'${name}'`)) wrong.push(`${file} has no test '${name}'`)
    }
  }
  expect(wrong).toEqual([])
})

test('the threat model covers the required topics', () => {
  const all = readThreats().join('\n')
  for (const word of ['fork', 'link out', 'size', 'role', 'private networks', 'log', 'checksum'])
    expect(all).toContain(word)
  expect(readThreats().length).toBeGreaterThan(30)
})
