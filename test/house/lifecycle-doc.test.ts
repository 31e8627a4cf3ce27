import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder, listSources } from './sources.ts'

const file = join(projectFolder, 'docs', 'coverage-of-lifecycle.md')

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(projectFolder, 'test', 'lifecycle', name), 'utf8'))

/** The tests of Pulumi's engine, by file. */
const catalogue = read('catalogue.json') as Readonly<Record<string, readonly string[]>>
const leftOut = read('left-out.json') as {
  readonly groups: Readonly<Record<string, string>>
  readonly lines: Readonly<Record<string, string>>
}

interface Proof {
  readonly path: string
  readonly title: string
}

/** Returns our tests by the names of Pulumi's tests, with which their titles begin. */
function findProofs(): ReadonlyMap<string, readonly Proof[]> {
  const proofs = new Map<string, Proof[]>()
  for (const { path, text } of listSources(/^test\/lifecycle\/\w+\/.*\.test\.ts$/))
    for (const [, title = ''] of text.matchAll(/['"`](Test[A-Z]\w*[^'"`\n]*)/g))
      for (const name of namesOf(title)) {
        const proofsOfName = proofs.get(name) ?? []
        if (!proofsOfName.some(proof => proof.title === title)) proofsOfName.push({ path, title })
        proofs.set(name, proofsOfName)
      }
  return proofs
}

function namesOf(title: string): readonly string[] {
  const [named = ''] = /^Test\w+(?:, Test\w+)*/.exec(title) ?? []
  return named.split(', ')
}

const head = `# Coverage of Pulumi's engine tests

Pulumi's engine has a suite of lifecycle tests. This page has a row for each of them: our test of the same behaviour, or
the reason why it does not apply here. It is generated from the titles in \`test/lifecycle\`. A test fails when the two
differ. Regenerate it after a change with \`npm test -- test/house/lifecycle-doc.test.ts -u\`.
`

const proofs = findProofs()

const cellOf = (group: string, name: string): string => {
  const proofsOfName = proofs.get(name) ?? []
  const links = proofsOfName.map(({ path, title }) => `[${formatLink(title, name)}](../${path})`)
  if (links.length > 0) return links.join('; ')
  const reason = leftOut.lines[name] ?? leftOut.groups[group]
  return reason === undefined ? '**not yet**' : `left out: ${reason}`
}

/** Returns the title without the names, which are already in the row. */
function formatLink(title: string, name: string): string {
  const description = title.replace(/^Test\w+(?:, Test\w+)*:?\s*/, '').replaceAll('|', '\\|')
  return description === '' ? name : description
}

const all = Object.entries(catalogue).flatMap(([group, names]) =>
  names.map(name => ({ group, name, cell: cellOf(group, name) })),
)

test('docs/coverage-of-lifecycle.md equals the titles of the tests', async () => {
  const missing = all.filter(({ cell }) => cell === '**not yet**').length
  const omittedCount = all.filter(({ cell }) => cell.startsWith('left out')).length
  const proven = all.length - missing - omittedCount
  const counts = `\n${all.length} tests: ${proven} covered, ${omittedCount} not applicable, ${missing} missing.\n`
  const groups = Object.keys(catalogue).map(group => {
    const rows = all.filter(row => row.group === group)
    const table = rows.map(({ name, cell }) => `| ${name} | ${cell} |\n`).join('')
    return `\n## ${group}\n\n| Pulumi's test | Our test |\n|---|---|\n${table}`
  })
  await expect(head + counts + groups.join('')).toMatchFileSnapshot(file)
})

describe('the table', () => {
  test('contains only tests that Pulumi has', () => {
    const pulumiNames = new Set(all.map(({ name }) => name))
    expect([...proofs.keys()].filter(name => !pulumiNames.has(name))).toEqual([])
  })

  test('has each proof in the folder of its group', () => {
    const groupOf = new Map(all.map(({ group, name }) => [name, group]))
    const strays = [...proofs].flatMap(([name, proofsOfName]) =>
      proofsOfName
        .filter(({ path }) => path.split('/')[2] !== groupOf.get(name))
        .map(({ path }) => `${name} in ${path}`),
    )
    expect(strays).toEqual([])
  })

  test('does not leave out a proven test', () => {
    expect(Object.keys(leftOut.lines).filter(name => proofs.has(name))).toEqual([])
  })
})
