import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownVariables } from './known-variables.ts'

const compareTexts = (a = '', b = ''): number => (a < b ? -1 : 1)

test('`about env` has the variables of the documentation', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [, section = ''] = page.split('\n## Environment variables\n')
  const [table = ''] = section.split('\n## ')
  const rows = table.split('\n').filter(line => line.startsWith('| `'))
  const documentedNames = rows
    .map(row => row.split(' | ')[0] ?? '')
    .flatMap(cell => [...cell.matchAll(/`([A-Z_]+[A-Z])`/g)].map(([, name]) => name))
  const knownNames = knownVariables.map(({ name }) => name)
  expect(knownNames.toSorted(compareTexts)).toEqual(documentedNames.toSorted(compareTexts))
})
