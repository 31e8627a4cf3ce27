import { expect, test } from 'vitest'
import type { StackId } from '../../shared/records/ids.ts'
import { formatImports, formatImportsAsJson, type ImportPreview } from './format-imports.ts'

const stack = {
  id: 'organization/shop/dev',
  folder: 'stacks/0',
  history: 9,
  resources: 1,
  version: 7,
  secrets: 'passphrase',
}
const emptyPlan = { imports: [], stackSettings: [], manualSteps: [], audit: undefined }
const preview: ImportPreview = {
  stack,
  status: 'new',
  action: 'import',
  states: 3,
  importsHistory: true,
}

test('the plan of an import names the stacks whose versions it numbers from 1', () => {
  const line = '- organization/shop/dev: the export has 3 of 7 versions'
  expect(formatImports([preview], emptyPlan)).toContain(line)
  expect(JSON.parse(formatImportsAsJson([preview], emptyPlan)).stacks).toMatchObject([
    { version: 7, states: 3, isRenumbered: true },
  ])
  const others: readonly ImportPreview[] = [
    { ...preview, states: 7 },
    { ...preview, importsHistory: false },
    { ...preview, status: 'present', action: 'skip' },
  ]
  expect(formatImports(others, emptyPlan).join('\n')).not.toContain('from 1')
})

test('the plan of an import shows no control characters of the export', () => {
  const escape = '\u001b[2J\u202e'
  const imports = [{ ...preview, stack: { ...stack, id: escape, secrets: escape } }]
  const text = formatImports(imports, { ...emptyPlan, manualSteps: [`webhook ${escape}`] }).join(
    '\n',
  )
  expect(text).toContain('- webhook \\u{1b}[2J\\u{202e}')
  expect([text.includes('\u001b'), text.includes('\u202e')]).toEqual([false, false])
})

test('the plan of an import shows each setting of a stack with its command, and the audit log', () => {
  const setting = {
    group: 'default',
    stack: 'organization/shop/dev' as StackId,
    path: '',
    body: {},
  }
  const stackSettings = [
    { ...setting, noun: 'tags', name: 'team=web' },
    { ...setting, noun: 'approval rule', name: '', command: 'antichain stack approval' },
  ]
  const entry = {
    id: 'e',
    at: 1,
    who: 'ana',
    from: '',
    what: '',
    kind: 'asked',
    request: 'r',
  } as const
  const source = 'https://source.test\u001b'
  const audit = { source, entries: [entry], omitted: 2, isImported: false }
  const plan = { ...emptyPlan, stackSettings, audit }
  expect(formatImports([], plan).slice(1)).toEqual([
    ...['', 'Settings to import, schedules and federation rules paused:'],
    '- tags team=web of organization/shop/dev',
    '- approval rule of organization/shop/dev: antichain stack approval',
    ...['', 'To append to the audit log of the target:'],
    '- audit log: 1 entry of https://source.test\\u{1b}, marked as imported',
    ...['', 'Not imported (run the commands in the export):'],
    '- audit log: the oldest 2 entries stay in audit.jsonl of the export',
  ])
  expect(JSON.parse(formatImportsAsJson([], plan))).toMatchObject({
    settings: [{ kind: 'tags', stack: 'organization/shop/dev' }, { kind: 'approval rule' }],
    audit: { source, entries: 1, omitted: 2, action: 'import' },
  })
  const imported = { ...plan, audit: { ...audit, omitted: 0, isImported: true } }
  expect(formatImports([], imported).join('\n')).not.toContain('audit')
})
