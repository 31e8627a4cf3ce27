import { expect, test } from 'vitest'
import { formatImports, formatImportsAsJson, type ImportPreview } from './format-imports.ts'

const stack = {
  ...{ id: 'organization/shop/dev', folder: 'stacks/0', history: 9 },
  ...{ resources: 1, version: 7, secrets: 'passphrase' },
}
const none = { imports: [], manualSteps: [] }
const planned: ImportPreview = {
  ...{ stack, status: 'new', action: 'import', states: 3, importsHistory: true },
}

test('the plan of an import names the stacks whose versions it numbers from 1', () => {
  const line = '- organization/shop/dev: the export has 3 of 7 versions'
  expect(formatImports([planned], none)).toContain(line)
  expect(JSON.parse(formatImportsAsJson([planned], none)).stacks).toMatchObject([
    { version: 7, states: 3, isRenumbered: true },
  ])
  const others: readonly ImportPreview[] = [
    { ...planned, states: 7 },
    { ...planned, importsHistory: false },
    { ...planned, status: 'present', action: 'skip' },
  ]
  expect(formatImports(others, none).join('\n')).not.toContain('from 1')
})

test('the plan of an import shows no control characters of the export', () => {
  const escape = '\u001b[2J\u202e'
  const imports = [{ ...planned, stack: { ...stack, id: escape, secrets: escape } }]
  const text = formatImports(imports, { ...none, manualSteps: [`webhook ${escape}`] }).join('\n')
  expect(text).toContain('- webhook \\u{1b}[2J\\u{202e}')
  expect([text.includes('\u001b'), text.includes('\u202e')]).toEqual([false, false])
})
