import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BadInputBench, createBadInputBench, recordedExport } from './bad-input-bench.ts'
import { thingUrn } from './create-damage.ts'
import {
  ciphertextDamages,
  envelopeDamages,
  foreignDamages,
  integrityDamages,
  textDamages,
  valueDamages,
} from './state-damages.ts'

let bench: BadInputBench
const importArgs = ['stack', 'import', '-s', 'dev', '--file', 'bad.json']
const exportState = async (): Promise<string> =>
  (await bench.run('stack', 'export', '-s', 'dev')).out

beforeAll(async () => {
  bench = createBadInputBench()
  await bench.run('stack', 'init', 'dev')
  bench.write('good.json', recordedExport)
  await bench.run('stack', 'import', '-s', 'dev', '--file', 'good.json')
})

afterAll(() => bench.remove())

test('the exported state is imported and exported without a changed byte', async () => {
  expect(await exportState()).toBe(recordedExport)
})

test.each([
  ...textDamages,
  ...envelopeDamages,
  ...integrityDamages,
  ...valueDamages,
  ...ciphertextDamages,
  ...foreignDamages,
])('stack import refuses a file that is $what, and keeps the state', async row => {
  const damaged = row.damage(recordedExport)
  expect(damaged).not.toEqual(recordedExport)
  bench.write('bad.json', damaged)
  const file = ['STATE_INVALID', 'STATE_TOO_NEW'].includes(row.code) ? ['bad.json: '] : []
  await bench.refuse(importArgs, row.code, [...file, row.pattern])
  expect(await exportState()).toBe(recordedExport)
})

test.each([
  {
    what: 'a checkpoint of a backend',
    content: '{"version":3,"checkpoint":{"stack":"organization/golden/dev","latest":{}}}',
    code: 'STATE_INVALID',
    pattern: 'checkpoint of a backend.*\n.*--from',
  },
  {
    what: 'of version 0',
    content: '{"version":0,"deployment":{}}',
    code: 'STATE_INVALID',
    pattern: 'version 0',
  },
  {
    what: 'without a version',
    content: '{"deployment":{}}',
    code: 'STATE_INVALID',
    pattern: 'version 0',
  },
  {
    what: 'without a deployment',
    content: '{"version":3}',
    code: 'STACK_NOT_EMPTY',
    pattern: '4 resources, but the file has none',
  },
  {
    what: 'a text with a byte order mark',
    content: `\ufeff${recordedExport}`,
    code: 'STATE_INVALID',
    pattern: 'byte order mark',
  },
  {
    what: 'with an invalid URN',
    content: recordedExport.replace(`"urn": "${thingUrn}"`, '"urn": "nonsense"'),
    code: 'STATE_INVALID',
    pattern: "invalid URN: 'nonsense'",
  },
  {
    what: 'with a foreign URN that would change the terminal',
    content: recordedExport.replaceAll('pulumi:dev::', 'pulumi:\\u001b]0;x\\u0007::'),
    code: 'STATE_FOREIGN',
    pattern: 'pulumi:\\\\u\\{1b\\}]0;x\\\\u\\{7\\}::',
  },
  {
    what: 'encrypted without a secrets manager',
    content: recordedExport.replace('"secrets_providers"', '"other_providers"'),
    code: 'STATE_INVALID',
    pattern: 'names no secrets provider',
  },
  {
    what: 'sealed by a key whose data key is damaged',
    content: recordedExport
      .replace('"type": "passphrase"', '"type": "cloud"')
      .replace(/"salt": "[^"]*"/, '"url": "hashivault://k", "encryptedkey": "AAAA"'),
    code: 'SECRETS_MALFORMED',
    pattern: 'data key',
  },
] as const)('stack import refuses a file that is $what, and keeps the state', async row => {
  bench.write('bad.json', row.content)
  await bench.refuse(importArgs, row.code, [new RegExp(row.pattern)])
  expect(await exportState()).toBe(recordedExport)
})

test.each([
  ['a folder', '.', 'EISDIR'],
  ['missing', 'nowhere.json', 'nowhere.json'],
])('stack import of a file that is %s names the path', async (_what, file, pattern) => {
  const args = ['stack', 'import', '-s', 'dev', '--file', file]
  await bench.refuse(args, 'FILE_UNREADABLE', [bench.root, pattern])
})

test.each([
  [
    'a duplicate URN that waits for its deletion',
    (text: string) => {
      const json = JSON.parse(text)
      const { resources } = json.deployment
      const { urn, custom, ...others } = resources.find(
        (item: { urn: string }) => item.urn === thingUrn,
      )
      resources.push({ urn, custom, delete: true, ...others })
      return JSON.stringify(json)
    },
  ],
  [
    'keys that are special in JavaScript',
    (text: string) =>
      text.replace('"open": 1', '"open": {"__proto__": {"x": 1}, "constructor": {"y": 2}}'),
  ],
  ['the largest number', (text: string) => text.replace('"open": 1', '"open": 1e308')],
  ['a long text', (text: string) => text.replace('"open": 1', `"open": "${'x'.repeat(2 ** 20)}"`)],
])('stack import accepts %s, and exports it unchanged', async (_what, change) => {
  const text = change(recordedExport)
  bench.write('legal.json', text)
  expect(await bench.run('stack', 'import', '-s', 'dev', '--file', 'legal.json')).toMatchObject({
    exit: 0,
  })
  const exported = await exportState()
  // `toEqual` ignores a key `__proto__`, and the texts do not.
  expect(JSON.stringify(JSON.parse(exported))).toBe(JSON.stringify(JSON.parse(text)))
  await bench.run('stack', 'import', '-s', 'dev', '--file', 'good.json')
  expect(await exportState()).toBe(recordedExport)
})
