import { describe, expect, test } from 'vitest'
import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { metadataOf, stateOf } from './display.fixture.ts'
import { createPaint } from './paint.ts'
import { formatDiff } from './plain-lines.ts'
import { diffProperties } from './property-diff.ts'

type Properties = Readonly<Record<string, unknown>>

const printDiff = (
  metadata: StepMetadata,
  side: 'inputs' | 'outputs' = 'inputs',
): readonly string[] =>
  formatDiff(diffProperties(metadata, side), createPaint(false)).map(line => line.slice(6))

const update = (
  old: Properties,
  next: Properties,
  more: Partial<StepMetadata> = {},
): StepMetadata =>
  metadataOf('update', 'a', {
    old: stateOf('a', { inputs: old, outputs: old }),
    new: stateOf('a', { inputs: next }),
    ...more,
  })

describe('without a detailed diff', () => {
  test('inputs are compared, with keys in alphabetical order', () => {
    expect(printDiff(update({ b: 1, c: true, same: 'x' }, { b: 2, a: 'new', same: 'x' }))).toEqual([
      '+ a: "new"',
      '~ b: 1 => 2',
      '- c: true',
    ])
  })

  test('maps and lists are compared recursively, lists by index', () => {
    const old = { tags: { one: '1', two: '2' }, list: ['a', 'b', 'c'] }
    const next = { tags: { one: '1', two: '3', three: '4' }, list: ['a', 'x'] }
    expect(printDiff(update(old, next))).toEqual([
      '~ list:',
      '    ~ [1]: "b" => "x"',
      '    - [2]: "c"',
      '~ tags:',
      '    + three: "4"',
      '    ~ two: "2" => "3"',
    ])
  })

  test('a secret that the provider names is listed although both values look the same', () => {
    const secret = { token: '[secret]', name: 'x' }
    expect(printDiff(update(secret, secret, { diffs: ['token'] }))).toEqual([
      '~ token: [secret] => [secret]',
    ])
  })

  test('a multi-line text shows its changed lines between equal ones', () => {
    expect(printDiff(update({ page: 'a\nb\nc\nd\n' }, { page: 'a\nx\nd\n' }))).toEqual([
      '~ page:',
      '      "a"',
      '    - "b"',
      '    - "c"',
      '    + "x"',
      '      "d"',
    ])
  })

  test('distant changes of a text are divided, and a missing line break is named', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const next = lines.with(1, 'second').with(18, 'last but one')
    expect(printDiff(update({ pem: lines.join('\n') }, { pem: `${next.join('\n')}\n` }))).toEqual([
      '~ pem:',
      '      "line 0"',
      '    - "line 1"',
      '    + "second"',
      '      "line 2"',
      '      "line 3"',
      '      …',
      '      "line 16"',
      '      "line 17"',
      '    - "line 18"',
      '    - "line 19"',
      '      (no line break at the end)',
      '    + "last but one"',
      '    + "line 19"',
    ])
  })

  test('a text with too many changed lines is only named', () => {
    const manyLines = (word: string): string =>
      Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n')
    expect(printDiff(update({ page: manyLines('old') }, { page: manyLines('new') }))).toEqual([
      '~ page:',
      '    ~ 3000 lines => 3000 lines',
    ])
  })

  test('the maps and lists in JSON and YAML are compared', () => {
    const policy = { Version: '2012', Statement: [{ Effect: 'Allow' }] }
    const nextPolicy = { Statement: [{ Effect: 'Deny' }], Version: '2012' }
    const old = { policy: JSON.stringify(policy), values: 'replicas: 1\nimage: a\n' }
    const next = { policy: JSON.stringify(nextPolicy), values: 'image: a\nreplicas: 2\n' }
    expect(printDiff(update(old, next))).toEqual([
      '~ policy (json):',
      '    ~ Statement:',
      '        ~ [0]:',
      '            ~ Effect: "Allow" => "Deny"',
      '~ values (yaml):',
      '    ~ replicas: 1 => 2',
    ])
  })

  test('JSON whose format alone changed is compared as a text', () => {
    expect(printDiff(update({ a: '{"b":1}' }, { a: '{ "b": 1 }' }))).toEqual([
      '~ a: "{\\"b\\":1}" => "{ \\"b\\": 1 }"',
    ])
  })

  test('a text of one line, and YAML that grows by its aliases, are shown as texts', () => {
    const bomb = ['a: &a [x,x]', 'b: &b [*a,*a]', 'c: &c [*b,*b]'].join('\n')
    const more = 'defghijk'.split('').map((key, index) => `${key}: &${key} [*${'cdefghij'[index]}]`)
    const grown = `${bomb}\n${more.join('\n')}\nz: [${'*k,'.repeat(60)}]`
    expect(printDiff(update({ a: 'x', note: 'x' }, { a: 'note: y', note: grown }))).toEqual([
      '~ a: "x" => "note: y"',
      '~ note:',
      '    - "x"',
      ...grown.split('\n').map(line => `    + ${JSON.stringify(line)}`),
    ])
  })

  test('a wrapped secret is shown as the word [secret]', () => {
    const secret = { [signatureKey]: signatures.secret, ciphertext: '[secret]' }
    expect(printDiff(update({ a: 'open' }, { a: secret, b: { c: secret } }))).toEqual([
      '~ a: "open" => [secret]',
      '+ b:',
      '    + c: [secret]',
    ])
  })

  test('a value that changes its type is shown as a whole', () => {
    expect(printDiff(update({ a: { b: 1 } }, { a: [1] }))).toEqual(['~ a: { b: 1 } => [1]'])
  })

  test('the code of a dynamic provider is named but not shown', () => {
    expect(printDiff(update({ __provider: 'old code' }, { __provider: 'new code' }))).toEqual([
      '~ __provider',
    ])
  })
})

describe('with a detailed diff', () => {
  const printDetailed = (detailedDiff: NonNullable<StepMetadata['detailedDiff']>) =>
    printDiff(
      update(
        { a: { b: ['x', 'y'] }, gone: 1, quiet: 'old' },
        { a: { b: ['x', 'z'] }, added: { deep: true }, quiet: 'new' },
        { detailedDiff },
      ),
    )

  test('only the paths that the provider names are shown', () => {
    expect(
      printDetailed({
        'a.b[1]': { diffKind: 'update', inputDiff: false },
        added: { diffKind: 'add', inputDiff: false },
        gone: { diffKind: 'delete', inputDiff: true },
      }),
    ).toEqual(['~ a.b[1]: "y" => "z"', '+ added:', '    + deep: true', '- gone: 1'])
  })

  test('a change that forces a replacement is marked', () => {
    expect(printDetailed({ quiet: { diffKind: 'update-replace', inputDiff: false } })).toEqual([
      '~ quiet (forces replacement): "old" => "new"',
    ])
  })

  test('an empty detailed diff is ignored, and an invalid path is treated as a key', () => {
    expect(printDetailed({})).toContain('~ quiet: "old" => "new"')
    expect(printDetailed({ 'b[': { diffKind: 'update', inputDiff: false } })).toEqual([
      '~ b[: (none) => (none)',
    ])
  })
})

test('a create shows JSON entry by entry, and the lines of other texts', () => {
  const inputs = { key: 'BEGIN\nabc\nEND\n', policy: '{"a":[1]}' }
  const create = metadataOf('create', 'a', { old: null, new: stateOf('a', { inputs }) })
  expect(printDiff(create)).toEqual([
    '+ key:',
    '    + "BEGIN"',
    '    + "abc"',
    '    + "END"',
    '+ policy (json):',
    '    + a:',
    '        + [0]: 1',
  ])
})

test('a create shows all inputs and a delete all old inputs, nested ones in separate lines', () => {
  const inputs = { name: 'n', list: [{ a: 1 }], empty: {}, __defaults: [] }
  expect(printDiff(metadataOf('create', 'a', { new: stateOf('a', { inputs }) }))).toEqual([
    '+ empty: {}',
    '+ list:',
    '    + [0]:',
    '        + a: 1',
    '+ name: "n"',
  ])
  expect(printDiff(metadataOf('delete', 'a', { old: stateOf('a', { inputs: { x: 1 } }) }))).toEqual(
    ['- x: 1'],
  )
})

test('the result of a refresh is a diff of outputs', () => {
  const metadata = metadataOf('update', 'a', {
    old: stateOf('a', { outputs: { size: 1 } }),
    new: stateOf('a', { outputs: { size: 2 } }),
  })
  expect(printDiff(metadata, 'outputs')).toEqual(['~ size: 1 => 2'])
})

test('unknown values, assets and references are described', () => {
  const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'
  const asset = { [signatureKey]: signatures.asset, hash: '0123456789abcdef', path: 'a.txt' }
  const reference = { [signatureKey]: signatures.reference, urn: 'urn:x' }
  const metadata = metadataOf('create', 'a', {
    new: stateOf('a', { inputs: { asset, reference, unknown } }),
  })
  expect(printDiff(metadata)).toEqual([
    '+ asset: asset path "a.txt" (0123456789ab)',
    '+ reference: resource "urn:x"',
    '+ unknown: known after the update',
  ])
})
