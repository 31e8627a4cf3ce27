import { expect, test } from 'vitest'
import { type Autonaming, isNameFixed, type NamingRule, proposeName } from './propose-name.ts'

const seed = new Uint8Array(32)
const plain = { kind: 'default' } as const
const verbatim = { kind: 'verbatim' } as const
const patternOf = (text: string, enforce = false): NamingRule => ({
  kind: 'pattern',
  pattern: text,
  enforce,
})
const createAutonaming = (naming: NamingRule): Autonaming => ({
  general: naming,
  packages: new Map(),
})
const createForPackage = (
  naming: NamingRule,
  types: ReadonlyMap<string, NamingRule> = new Map(),
): Autonaming => ({
  general: plain,
  packages: new Map([['aws', { general: naming, types }]]),
})
const bucket = { type: 'aws:s3/bucket:Bucket', name: 'main', seed }

test.each([
  ['without a configuration', createAutonaming(plain), undefined],
  [
    'verbatim',
    createAutonaming(verbatim),
    { name: 'main', mode: 'enforce', warnIfUnsupported: false },
  ],
  [
    'disabled',
    createAutonaming({ kind: 'disabled' }),
    { name: '', mode: 'disable', warnIfUnsupported: false },
  ],
  [
    'a pattern',
    createAutonaming(patternOf('x-${name}')),
    { name: 'x-main', mode: 'propose', warnIfUnsupported: false },
  ],
  [
    'an enforced pattern',
    createAutonaming(patternOf('x-${name}', true)),
    { name: 'x-main', mode: 'enforce', warnIfUnsupported: true },
  ],
  [
    'verbatim for the package',
    createForPackage(verbatim),
    { name: 'main', mode: 'enforce', warnIfUnsupported: true },
  ],
  [
    'a pattern for the type',
    createForPackage(verbatim, new Map([[bucket.type, patternOf('b-${name}')]])),
    { name: 'b-main', mode: 'propose', warnIfUnsupported: true },
  ],
  [
    'the default for the type',
    createForPackage(verbatim, new Map<string, NamingRule>([[bucket.type, plain]])),
    undefined,
  ],
])('%s: the provider gets the expected name proposal', (_name, autonaming, expected) => {
  expect(proposeName(autonaming, bucket)).toEqual(expected)
})

test('a package without rules uses the general rule', () => {
  expect(proposeName(createForPackage(verbatim), { ...bucket, type: 'gcp:a:B' })).toBeUndefined()
})

test.each([
  ['${hex(5)}', /^[0-9a-f]{5}$/],
  ['${alphanum(9)}', /^[a-z0-9]{9}$/],
  ['${string(4)}', /^[a-z]{4}$/],
  ['${num(3)}', /^\d{3}$/],
  ['${uuid}', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['${uuid}+${uuid}', /^(.{36})\+\1$/],
  ['${hex(0)}', /^$/],
])('%s is filled with random characters, so two names can coexist', (text, expected) => {
  const autonaming = createAutonaming(patternOf(text))
  expect(proposeName(autonaming, bucket)?.name).toMatch(expected)
  expect(isNameFixed(autonaming, bucket)).toBe(false)
})

test('a dollar in the name of a resource has no special meaning', () => {
  const autonaming = createAutonaming(patternOf('x-${name}'))
  expect(proposeName(autonaming, { ...bucket, name: 'a$$b$&' })?.name).toBe('x-a$$b$&')
})

test('the random parts depend on the seed only', () => {
  const autonaming = createAutonaming(patternOf('${name}-${hex(8)}-${num(4)}'))
  const [first, again] = [1, 2].map(() => proposeName(autonaming, bucket)?.name)
  expect(again).toBe(first)
  const other = { ...bucket, seed: new Uint8Array(32).fill(1) }
  expect(proposeName(autonaming, other)?.name).not.toBe(first)
})

test.each([
  ['the default', plain, false],
  ['verbatim', verbatim, true],
  ['disabled', { kind: 'disabled' } as const, true],
  ['a pattern without random parts', patternOf('${name}-${other}'), true],
])(
  '%s: isNameFixed reports whether the rule proposes the same name for every seed',
  (_name, naming, expected) => {
    expect(isNameFixed(createAutonaming(naming), bucket)).toBe(expected)
  },
)
