import { expect, test } from 'vitest'
import { scanSource } from './scan-source.ts'
import { listSources } from './sources.ts'
import { verbs } from './verbs.ts'

const code = listSources(/\.(tsx?|mjs)$/).map(source => ({
  ...source,
  scanned: scanSource(source.text),
}))

/** Words that do not describe a value. CONTRIBUTING lists replacements. */
const bannedWords = [
  'about',
  'given',
  'asked',
  'told',
  'said',
  'beside',
  'heard',
  'words',
  'stands',
]
const banned = new RegExp(
  `\\b(?:${bannedWords.join('|')}|(?:tell|asked|told|said|heard|stands)[A-Z]\\w*|\\w+(?:About|Asked|Told|Said|Beside|Heard)(?:[A-Z]\\w*)?)\\b`,
)

/** A field of stored records, whose name must not change. */
const recordField = /\bisAskedAgain\b/g

/** JSON keys in responses of the API and webhooks: clients depend on these names. */
const publicKeys: Readonly<Record<string, string>> = {
  'cli/commands/notification-dead.ts': 'about',
  'functions/api/routes/dead-notifications.ts': 'about',
  'functions/api/documents.test.ts': 'about',
  'cli/verify/webhook-check.ts': 'asked',
  'functions/webhook/answer-webhook.ts': 'asked',
  'functions/webhook/answer-webhook.test.ts': 'asked',
}

test('no identifier contains a banned word', () => {
  const bad = code.flatMap(({ path, scanned }) =>
    scanned.code
      .split('\n')
      .flatMap((line, index) =>
        hasBannedWord(path, line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  )
  expect(bad).toEqual([])
})

function hasBannedWord(path: string, line: string): boolean {
  const key = publicKeys[path]
  return banned.test(
    (key === undefined ? line : line.replaceAll(new RegExp(`\\b${key}\\b`, 'g'), '')).replaceAll(
      recordField,
      '',
    ),
  )
}

test('an exported name is unique in the project', () => {
  const declaration =
    /^export (?:async )?(?:function\*?|const|let|class|interface|type) (?<name>[\w$]+)/gm
  const files = new Map<string, string[]>()
  for (const { path, scanned } of code)
    for (const { groups } of scanned.code.matchAll(declaration)) {
      const name = groups?.['name'] ?? ''
      const paths = files.get(name) ?? []
      if (!paths.includes(path)) files.set(name, [...paths, path])
    }
  const repeated = [...files]
    .filter(([name, paths]) => paths.length > 1 && !mayShareName(name, paths))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`)
  expect(repeated).toEqual([])
})

/** Adapters of one port may export the same `create…`, and Lambda entry points export `handler`. */
function mayShareName(name: string, paths: readonly string[]): boolean {
  const isAdapter = paths.every(path => /^(?:shared\/platform|test\/sim)\//.test(path))
  const isEntry = paths.every(path => /^functions\/(?:[^/]+\/)+main\.ts$/.test(path))
  return (isAdapter && name.startsWith('create')) || (isEntry && name === 'handler')
}

test('an exported function begins with a verb, or reads a part of its argument as `xOf`', () => {
  const declaration =
    /^export (?:async )?(?:function\*? (?<name>[\w$]+)|const (?<constant>[\w$]+)(?:: [^=\n]*)? =\s*(?:async )?(?:<[^>]*>)?\()/gm
  const bad = code.flatMap(({ path, scanned }) =>
    [...scanned.code.matchAll(declaration)].flatMap(({ groups }) => {
      const name = groups?.['name'] ?? groups?.['constant'] ?? ''
      return isFunctionName(name) ? [] : [`${path}: ${name}`]
    }),
  )
  expect(bad).toEqual([])
})

/** Components of the dashboard are noun phrases, and Lambda entry points export `handler`. */
function isFunctionName(name: string): boolean {
  if (/^[A-Z]/.test(name) || name === 'handler' || /Of(?:[A-Z]\w*)?$/.test(name)) return true
  return verbs.has(/^[a-z]+/.exec(name)?.[0] ?? '')
}

test('no file is named handle.ts: its name states its task', () => {
  expect(
    code.filter(({ path }) => /(?:^|\/)handle\.ts$/.test(path)).map(({ path }) => path),
  ).toEqual([])
})
