import { expect, test } from 'vitest'
import { listChangeTexts, resultStatusOf } from './deployment-status.ts'
import { formatDollars } from './format-dollars.ts'
import { formatCount, formatShownCount } from './format-count.ts'
import { formatProperty, hiddenText } from './format-property.ts'
import { formatAge, formatSpan } from './format-time.ts'
import { createMatcher } from './match-filter.ts'
import { operationStatusOf } from './operation-status.ts'
import { stripControls } from './strip-controls.ts'

const signatureKey = '4dabf18193072939515e22adb298388d'
const assetSignature = 'c44067f5952c0a294b673a41bacd8c17'
const archiveSignature = '0def7320c3a5731c473e5ecbe6d01bc7'
/** The markers of docs/spec/property-values.md#wire-encoding. */
const unknownMarkers = [
  '1c4a061d-8072-4f0a-a4cb-0ff528b18fe7',
  '3eeb2bf0-c639-47a8-9e75-3b44932eb421',
  '04da6b54-80e4-46f7-96ec-b56ff0331ba9',
  '6a19a0b0-7e62-4c92-b797-7f8e31da9cc2',
  '030794c1-ac77-496b-92df-f27374a8bd58',
  'e48ece36-62e2-4504-bad9-02848725956a',
  'dd056dcd-154b-4c76-9bd3-c8f88648b5ff',
]

test.each([
  [-5, '0.0 s'],
  [420, '0.4 s'],
  [9_960, '10 s'],
  [59_600, '1 min 00 s'],
  [185_000, '3 min 05 s'],
  [7_440_000, '2 h 04 min'],
  [200_000_000, '2 d 7 h'],
])('a duration of %i ms is %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text)
})

test.each([
  [0, 'just now'],
  [59_999, '59 s ago'],
  [3_599_999, '59 min ago'],
  [86_399_999, '23 h ago'],
  [86_400_000, 'yesterday'],
  [172_800_000, '2 days ago'],
  [60 * 86_400_000, '1969-11-02'],
])('the age of a time %i ms ago is %s', (ageMs, text) => {
  expect(formatAge(-ageMs, 0)).toBe(text)
})

test('counts have separators and a noun in the right number', () => {
  expect(formatCount(1, 'stack')).toBe('1 stack')
  expect(formatCount(1_234_567, 'stack')).toBe('1,234,567 stacks')
})

test('changes are listed in a fixed order, without the parts of replacements', () => {
  const changes = { same: 3, delete: 1, create: 2, replace: 1, 'create-replacement': 1, other: 4 }
  expect(listChangeTexts(changes)).toEqual([
    ...['2 created', '1 replaced', '1 deleted', '3 unchanged', '4 other'],
  ])
})

test('an open deployment is running, and an unknown result is shown as it is', () => {
  expect(resultStatusOf(undefined).tone).toBe('busy')
  expect(resultStatusOf('paused')).toEqual({ text: 'paused', tone: 'quiet' })
})

test('an operation without an end is running, and after the deployment not finished', () => {
  const operation = { op: 'create', state: 'running' } as const
  expect(operationStatusOf(operation, false)).toEqual({ text: 'creating', tone: 'busy' })
  expect(operationStatusOf(operation, true)).toEqual({
    text: 'creating: not finished',
    tone: 'warn',
  })
  expect(operationStatusOf({ op: 'delete', state: 'failed' }, true).tone).toBe('bad')
})

test('a secret is hidden at any depth, also one with a mark that the page does not know', () => {
  const secret = { [signatureKey]: '1b47061264138c4ac30d75fd1eb44270', ciphertext: 'v1:abc' }
  expect(formatProperty(secret)).toEqual({ text: hiddenText, isBlock: false, isHidden: true })
  const nested = formatProperty({ list: [secret], unknown: { [signatureKey]: 'x', value: 'abc' } })
  expect(nested.text).toBe('{"list":["[secret]"],"unknown":"[secret]"}')
})

test.each(unknownMarkers)('the unknown marker %s is shown as such, at any depth', marker => {
  expect(formatProperty([marker]).text).toBe('["known after the update"]')
})

test.each([
  [assetSignature, { path: './a.txt', hash: 'h' }, '[asset ./a.txt]'],
  [assetSignature, { path: '', uri: 'https://a', hash: 'h' }, '[asset https://a]'],
  [assetSignature, { text: 'abc', hash: 'h' }, '[asset h]'],
  [assetSignature, { text: 'abc', hash: '' }, '[asset of text]'],
  [archiveSignature, { assets: {}, path: '', hash: 'h' }, '[archive h]'],
  [archiveSignature, { assets: {} }, '[archive of assets]'],
])('an asset or archive %s with %j is shown by its source: %s', (signature, fields, text) => {
  expect(formatProperty({ [signatureKey]: signature, ...fields }).text).toBe(text)
})

test('long values are shown as a block, and an empty text as quotes', () => {
  expect(formatProperty('')).toMatchObject({ text: '""', isBlock: false })
  expect(formatProperty('one\ntwo')).toMatchObject({ text: 'one\ntwo', isBlock: true })
  expect(formatProperty({ name: 'x'.repeat(80) }).text).toContain('\n  "name"')
})

test('sequences of terminals and color marks are removed from a message', () => {
  expect(stripControls('\u001b[31mred\u001b[0m <{%fg 1%}>text<{%reset%}>')).toBe('red text')
  const link = '\u001b]8;;http://a.b\u001b\\link\u001b]8;;\u0007'
  expect(stripControls(`\u001b]9;4;3;\u001b\\${link} text\u0007`)).toBe('link text\u0007')
})

test('a filter matches texts with all of its parts, in any case and order', () => {
  const matches = createMatcher(' Dev  shop ')
  expect(['Shop/DEV', 'shop/prod'].map(text => matches?.(text))).toEqual([true, false])
  expect(createMatcher('  ')).toBeUndefined()
})

test('formatShownCount adds the number of all items only if a filter hides some', () => {
  expect(formatShownCount(2, 2, 'stack')).toBe('2 stacks')
  expect(formatShownCount(1, 12_000, 'stack')).toBe('1 stack of 12,000')
})

test('small amounts of dollars keep two significant digits', () => {
  expect([0, 0.000_012_3, 0.0046, 0.1, 12.345].map(formatDollars)).toEqual([
    ...['$0', '$0.000012', '$0.0046', '$0.10', '$12.35'],
  ])
})
