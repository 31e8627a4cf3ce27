import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStackConfig } from '../config/stack-config.ts'
import {
  filesOfEnvironment,
  variablesOfEnvironment,
  withEnvironmentConfig,
} from './environment-config.ts'
import { hasSecretPart, fieldsOf, toPlainData } from './environment-value.ts'

let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'antichain-environments-'))
})

afterEach(() => rmSync(root, { recursive: true }))

function write(name: string, text: string): void {
  const file = join(root, 'environments', `${name}.yaml`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const read = (text = 'environment: [dev]\n') =>
  openStackConfig(text, 'Pulumi.dev.yaml', 'shop').readEnvironment(root)
const readData = (text?: string) => toPlainData(read(text))

test('imports are merged in order, and the values of a file override them field by field', () => {
  write('base', 'values:\n  region: eu\n  net: {a: 1, b: {c: 2}}\n')
  write('team/more', 'values:\n  net: {b: {d: 3}}\n  list: [1]\n')
  write('dev', 'imports: [base, team/more]\nvalues:\n  net: {a: 9}\n  list: [2]\n')
  expect(readData()).toEqual({ region: 'eu', net: { a: 9, b: { c: 2, d: 3 } }, list: [2] })
  write('aside', 'imports:\n- base: {merge: false}\nvalues:\n  r: ${imports.base.region}\n')
  expect(readData('environment: [aside]\n')).toEqual({ r: 'eu' })
  expect(
    readData('environment:\n  imports: [base]\n  values:\n    mine: ${net.b.c}\n'),
  ).toMatchObject({
    mine: 2,
    region: 'eu',
  })
})

test('interpolations and functions keep types, and a value that uses a secret is secret', () => {
  write(
    'dev',
    `values:
  port: 80
  host: web
  key: {fn::secret: {a: top}}
  url: http://\${host}:\${port}/$\${x}
  same: \${port}
  joined: {fn::join: ['-', ["\${host}", b]]}
  json: {fn::toJSON: {k: "\${key.a}"}}
  back: {fn::fromJSON: '{"n": [1, true]}'}
  first: \${back.n[0]}
  text: {fn::toString: "\${port}"}
  encoded: {fn::toBase64: hi}
`,
  )
  expect(readData()).toMatchObject({
    url: 'http://web:80/${x}',
    same: 80,
    joined: 'web-b',
    json: '{"k":"top"}',
    back: { n: [1, true] },
    first: 1,
    text: '80',
    encoded: 'aGk=',
  })
  const secrets = [...(fieldsOf(read()) ?? [])].filter(([, value]) => hasSecretPart(value))
  expect(secrets.map(([name]) => name)).toEqual(['key', 'json'])
})

test('functions keep all digits of large integers, as the configuration does', () => {
  write(
    'dev',
    `values:
  id: 12345678901234567890
  pulumiConfig:
    secret: {fn::secret: 12345678901234567890}
    json: {fn::toJSON: {id: "\${id}", one: 1}}
    text: {fn::toString: ["\${id}"]}
    parsed: {fn::fromJSON: '{"id": 12345678901234567890, "half": 0.5}'}
`,
  )
  const options = { project: 'shop', encrypt: (text: string) => `sealed ${text}` }
  expect(Object.fromEntries(withEnvironmentConfig(new Map(), read(), options))).toEqual({
    'shop:secret': { kind: 'secure', ciphertext: 'sealed 12345678901234567890' },
    'shop:json': '{"id":12345678901234567890,"one":1}',
    'shop:text': '[12345678901234567890]',
    'shop:parsed': new Map<string, unknown>([
      ['id', 12_345_678_901_234_567_890n],
      ['half', 0.5],
    ]),
  })
})

test('the values of the stack override pulumiConfig, whose secrets are encrypted', () => {
  write(
    'dev',
    `values:
  password: {fn::secret: top}
  pulumiConfig:
    size: 3
    aws:region: eu
    net: {a: 1, key: "\${password}"}
  environmentVariables: {TOKEN: "\${password}", COUNT: 2}
  files: {CERT: pem}
`,
  )
  const values = new Map<string, string | Map<string, number>>([
    ['shop:size', '4'],
    ['shop:net', new Map([['b', 2]])],
  ])
  const options = { project: 'shop', encrypt: (text: string) => `sealed ${text}` }
  expect(Object.fromEntries(withEnvironmentConfig(values, read(), options))).toEqual({
    'shop:size': '4',
    'aws:region': 'eu',
    'shop:net': new Map<string, unknown>([
      ['a', 1],
      ['key', { kind: 'secure', ciphertext: 'sealed top' }],
      ['b', 2],
    ]),
  })
  expect([...variablesOfEnvironment(read())]).toEqual([
    ['TOKEN', 'top'],
    ['COUNT', '2'],
  ])
  expect([...filesOfEnvironment(read())]).toEqual([['CERT', 'pem']])
})

test.each([
  ['values:\n  a: {fn::open::aws-login: {}}\n', /dev\.yaml:2:.*`fn::open::aws-login` is not supp/],
  ['imports: ["pulumi:org/x"]\n', /dev\.yaml:1:.*'pulumi:org\/x' is one of Pulumi ESC/],
  ['imports: [x@stable]\n', /'x@stable' is one of Pulumi ESC/],
  ['imports: [../up]\n', /dev\.yaml:1:.*is not the name of an environment/],
  ['imports: [none]\n', /dev\.yaml:1:.*cannot read the environment 'none'/],
  ['imports: [dev]\n', /dev\.yaml:1:.*imports itself/],
  ['values:\n  a: ${b}\n  b: ${a}\n', /dev\.yaml:\d:.*refers to itself/],
  ['values:\n  a: 1\n  b: ${c.d}\n', /dev\.yaml:3:.*`c\.d` does not exist/],
  ['values:\n  a: {fn::fromJSON: "{"}\n', /dev\.yaml:2:.*takes a text in JSON/],
  ['values:\n  a: {fn::join: [1]}\n', /dev\.yaml:2:.*takes a separator and a list/],
  ['values:\n  a: {fn::fromBase64: "%%%%"}\n', /dev\.yaml:2:.*takes a text in base64/],
  ['values:\n  a: "x${b"\n', /dev\.yaml:2:.*without a closing brace/],
  ['values:\n  a: {fn::secret: {ciphertext: abc}}\n', /dev\.yaml:2:.*only the service/],
  ['values: [1]\n', /dev\.yaml:1:.*`values` must be a map/],
  ['other: 1\n', /dev\.yaml:1:.*`other` is not a key of an environment/],
])('%j is refused with its line', (text, message) => {
  write('dev', text)
  expect(() => read()).toThrow(message)
})

test('a description has no effect, and an unknown key in a stack file is refused', () => {
  write('dev', 'description: For tests\nvalues: {a: 1}\n')
  expect(readData()).toEqual({ a: 1 })
  expect(() => read('environment:\n  mine: 1\n')).toThrow(
    /Pulumi\.dev\.yaml:2:.*`mine` is not a key of an environment/,
  )
})

test('imports may be nested 20 levels deep', () => {
  write('dev', 'imports: [e2]\n')
  for (let level = 2; level < 20; level += 1) write(`e${level}`, `imports: [e${level + 1}]\n`)
  write('e20', 'values: {a: 1}\n')
  expect(() => read()).not.toThrow()
  write('e20', 'imports: [e21]\n')
  write('e21', 'values: {a: 1}\n')
  expect(() => read()).toThrow(/e20\.yaml:1:.*'e21' is nested too deeply: at most 20 levels/)
})

test('values that repeat each other many times are refused, and repeated imports are read once', () => {
  const names = Array.from({ length: 30 }, (_, index) => `v${index}`)
  const lines = names.map((name, index) =>
    index === 0 ? '  v0: xxxxxxxxxx' : `  ${name}: ["\${v${index - 1}}", "\${v${index - 1}}"]`,
  )
  write('dev', `values:\n${lines.join('\n')}\n`)
  expect(() => read()).toThrow('too large')
  for (let index = 0; index < 18; index += 1)
    write(
      `e${index}`,
      index === 0 ? 'values: {a: 1}\n' : `imports: [e${index - 1}, e${index - 1}]\n`,
    )
  expect(readData('environment: [e17, e17]\n')).toEqual({ a: 1 })
})

test('a long chain of references is refused or evaluated at once, and never overflows the stack', () => {
  const readChain = (length: number): unknown => {
    const links = Array.from({ length }, (_, index) => `  a${index}: "\${a${index + 1}}"\n`)
    write('dev', `values:\n${links.join('')}  a${length}: 1\n`)
    return readData()
  }
  const start = performance.now()
  expect(readChain(280)).toMatchObject({ a0: 1, a279: 1 })
  expect(performance.now() - start).toBeLessThan(2_000)
  for (const length of [310, 3_000])
    expect(() => readChain(length)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('more than 300 values contain or use') as string,
      }),
    )
})

test('values with thousands of levels are refused with their place', () => {
  const expectRefusal = (value: string, reason: string): void => {
    write('dev', `values:\n  a: ${value}\n`)
    expect(() => read()).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(new RegExp(`dev\\.yaml:\\d+:\\d+: .*${reason}`)) as string,
      }),
    )
  }
  expectRefusal(`${'{a: '.repeat(1_000)}1${'}'.repeat(1_000)}`, '')
  const json = `${'['.repeat(1_000)}1${']'.repeat(1_000)}`
  expectRefusal(`{fn::fromJSON: '${json}'}`, 'at most 300 levels')
  // Each value nests the value before it 100 levels deeper.
  const nest = (text: string): string => `${'['.repeat(100)}${text}${']'.repeat(100)}`
  const links = [2, 3, 4, 5].map(link => `  a${link}: ${nest(`"\${a${link - 1}}"`)}\n`)
  expectRefusal(`1\n  a1: ${nest('1')}\n${links.join('')}`, 'too large')
})
