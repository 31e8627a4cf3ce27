import { describe, expect, test } from 'vitest'
import type { DiffResult, PropertyDiff } from '../../../providers/provider.ts'
import { noDiff } from '../../../providers/provider.ts'
import { createForcedDiff, isReplacement, decideChange } from './decide-change.ts'

const healthy = { initErrors: [], pendingReplacement: false }
const broken = { initErrors: ['not ready'], pendingReplacement: false }
const begun = { initErrors: [], pendingReplacement: true }
const noWish = { replaceOnChanges: [], triggered: false }
const change = (fields: Partial<DiffResult>): DiffResult => ({
  ...noDiff,
  changes: 'some',
  ...fields,
})
const detailed = (
  ...entries: (readonly [string, PropertyDiff['kind']])[]
): Partial<DiffResult> => ({
  detailedDiff: new Map(entries.map(([path, kind]) => [path, { kind, inputDiff: false }])),
})

describe('what a difference comes to', () => {
  test.each([
    ['nothing', healthy, noDiff, noWish, 'same'],
    ['changes of which nobody knows', healthy, change({ changes: 'unknown' }), noWish, 'same'],
    ['a change', healthy, change({ changedKeys: ['size'] }), noWish, 'update'],
    ['a key that replaces', healthy, change({ replaceKeys: ['zone'] }), noWish, 'replace'],
    ['a detail that replaces', healthy, change(detailed(['a', 'add-replace'])), noWish, 'replace'],
    ['init errors alone', broken, noDiff, noWish, 'update'],
    ['a replacement that had begun', begun, noDiff, noWish, 'replace'],
    ['a trigger alone', healthy, noDiff, { replaceOnChanges: [], triggered: true }, 'replace'],
    ['a forced difference', healthy, createForcedDiff('provider'), noWish, 'replace'],
  ] as const)('%s', (_what, old, diff, wish, kind) => {
    expect(decideChange(old, diff, wish).kind).toBe(kind)
  })

  test.each<[string, readonly string[], 'update' | 'replace']>([
    ['the key itself', ['size'], 'replace'],
    ['another key', ['colour'], 'update'],
    ['all keys', ['*'], 'replace'],
  ])('a change of a key that the program wants replaced: %s', (_what, patterns, kind) => {
    const diff = change({ changedKeys: ['size'] })
    const wish = { replaceOnChanges: patterns, triggered: false }
    expect(decideChange(healthy, diff, wish).kind).toBe(kind)
  })

  test('below a path that the program wants replaced every detail replaces, no other does', () => {
    const diff = change(detailed(['box.a', 'add'], ['box["b"].c', 'delete'], ['lid', 'update']))
    const wish = { replaceOnChanges: ['box'], triggered: false }
    const verdict = decideChange(healthy, diff, wish)
    if (verdict.kind === 'same') expect.unreachable()
    expect([...(verdict.reason.detailedDiff ?? [])].map(([, { kind }]) => kind)).toEqual([
      'add-replace',
      'delete-replace',
      'update',
    ])
  })

  test('init errors replace when the program says so', () => {
    const verdict = decideChange(broken, noDiff, {
      replaceOnChanges: ['#initerror'],
      triggered: false,
    })
    expect(verdict).toMatchObject({ kind: 'replace', reason: { keys: ['#initerror'] } })
  })

  test('init errors that replace are told with the details, where a provider gives some', () => {
    const wish = { replaceOnChanges: ['#initerror'], triggered: false }
    const verdict = decideChange(broken, change(detailed(['lid', 'update'])), wish)
    if (verdict.kind === 'same') expect.unreachable()
    expect(
      [...(verdict.reason.detailedDiff ?? [])].map(([path, { kind }]) => [path, kind]),
    ).toEqual([
      ['lid', 'update'],
      ['#initerror', 'update-replace'],
    ])
  })

  test.each([
    ['that the program names', change({ changedKeys: ['size'] }), ['size[']],
    ['of a detail', change(detailed(['a[[[', 'update'])), []],
  ])('what is no path is an error: one %s', (_what, diff, replaceOnChanges) => {
    const judge = () => decideChange(healthy, diff, { replaceOnChanges, triggered: false })
    expect(judge).toThrow(/is not a property path/)
  })

  test('a key of a provider that is no path matches nothing', () => {
    const wish = { replaceOnChanges: ['size'], triggered: false }
    expect(decideChange(healthy, change({ changedKeys: ['[size'] }), wish).kind).toBe('update')
  })

  test('whether the old one goes first is what the provider says', () => {
    const diff = change({ replaceKeys: ['zone'], deleteBeforeReplace: true })
    expect(decideChange(healthy, diff, noWish)).toMatchObject({ deleteBeforeReplace: true })
  })

  test('a difference without keys and details replaces nothing', () => {
    expect(isReplacement(createForcedDiff(''))).toBe(false)
  })
})
