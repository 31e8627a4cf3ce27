import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from './sources.ts'

const file = join(projectFolder, 'docs', 'coverage-of-terraform.md')

/** The rules for hosts by area. The last area has further features; the others have 40 rules. */
interface Checklist {
  /** The files of the proofs by their short names. */
  readonly files: Readonly<Record<string, string>>
  readonly areas: readonly {
    readonly area: string
    readonly rules: readonly CheckedRule[]
  }[]
}

/** A rule, and its proofs: `short name of a file: title of a test`, or `case: golden case`. */
interface CheckedRule {
  readonly rule: string
  readonly proofs: readonly string[]
}

const checklist = JSON.parse(
  readFileSync(join(projectFolder, 'test', 'house', 'terraform-checklist.json'), 'utf8'),
) as Checklist

const head = `# Coverage of the rules for Terraform providers

A host of Terraform providers must keep these rules. Each row names the tests that prove a rule. A case is a folder of
[test/tfgolden](../test/tfgolden/README.md), which compares the calls with those of OpenTofu. This page is generated from
\`test/house/terraform-checklist.json\`. A test fails when a named test does not exist, or when the page differs.
Regenerate it after a change with \`npm test -- test/house/terraform-doc.test.ts -u\`.
`

function splitProof(proof: string): { readonly path: string; readonly title: string } {
  const [, name = '', title = ''] = /^(\w+): (.*)$/.exec(proof) ?? []
  const path = name === 'case' ? `test/tfgolden/cases/${title}/case.json` : checklist.files[name]
  return { path: path ?? `no file named ${name}`, title: name === 'case' ? `case ${title}` : title }
}

function formatProof(proof: string): string {
  const { path, title } = splitProof(proof)
  return `[${title.replaceAll('|', '\\|')}](../${path})`
}

/** Reports whether the file of a proof exists and has a text with its title. */
function isProven(proof: string): boolean {
  const { path, title } = splitProof(proof)
  const absolutePath = join(projectFolder, path)
  if (!existsSync(absolutePath)) return false
  const text = readFileSync(absolutePath, 'utf8')
  return proof.startsWith('case: ') || ["'", '"', '`'].some(quote => text.includes(quote + title))
}

test('docs/coverage-of-terraform.md equals the checklist', async () => {
  let number = 0
  const areas = checklist.areas.map(({ area, rules }) => {
    const rows = rules.map(({ rule, proofs }) => {
      number += 1
      return `| ${number} | ${rule} | ${proofs.map(formatProof).join('; ')} |\n`
    })
    return `\n## ${area}\n\n| | Rule | Tests |\n|---|---|---|\n${rows.join('')}`
  })
  await expect(head + areas.join('')).toMatchFileSnapshot(file)
})

const allRules = checklist.areas.flatMap(({ rules }) => rules)

test('each rule has a proof, and each proof exists', () => {
  expect(allRules.filter(({ proofs }) => proofs.length === 0)).toEqual([])
  const proofs = allRules.flatMap(rule => rule.proofs)
  expect(proofs.filter(proof => !isProven(proof))).toEqual([])
})

test('the checklist has 40 rules before the further features, and names no file without a proof', () => {
  const featureCount = checklist.areas.at(-1)?.rules.length ?? 0
  expect(allRules.length - featureCount).toBe(40)
  const proofs = allRules.flatMap(rule => rule.proofs)
  const unused = Object.keys(checklist.files).filter(
    name => !proofs.some(proof => proof.startsWith(`${name}: `)),
  )
  expect(unused).toEqual([])
})
