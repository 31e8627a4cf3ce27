import { describe, expect, test } from 'vitest'
import type { DiffResult, PropertyDiff } from '../../../providers/provider.ts'
import { noDiff } from '../../../providers/provider.ts'
import { createForcedDiff, isReplacement, decideChange } from './decide-change.ts'

const healthy = { initErrors: [], pendingReplacement: false }
const failedInit = { initErrors: ['not ready'], pendingReplacement: false }
const begunReplacement = { initErrors: [], pendingReplacement: true }
const noOptions = { replaceOnChanges: [], isTriggered: false }
const changeOf = (fields: Partial<DiffResult>): DiffResult => ({
  ...noDiff,
  changes: 'some',
  ...fields,
})
const detailed = (
  ...entries: (readonly [string, PropertyDiff['kind']])[]
): Partial<DiffResult> => ({
  detailedDiff: new Map(entries.map(([path, kind]) => [path, { kind, inputDiff: false }])),
})

describe('decideChange', () => {
  test.each([
    ['no difference', healthy, noDiff, noOptions, 'same'],
    ['unknown changes', healthy, changeOf({ changes: 'unknown' }), noOptions, 'same'],
    ['a change', healthy, changeOf({ changedKeys: ['size'] }), noOptions, 'update'],
    ['a replacing key', healthy, changeOf({ replaceKeys: ['zone'] }), noOptions, 'replace'],
    ['a replacing detail', healthy, changeOf(detailed(['a', 'add-replace'])), noOptions, 'replace'],
    ['init errors alone', failedInit, noDiff, noOptions, 'update'],
    ['a replacement that began earlier', begunReplacement, noDiff, noOptions, 'replace'],
    ['a trigger alone', healthy, noDiff, { replaceOnChanges: [], isTriggered: true }, 'replace'],
    ['a forced difference', healthy, createForcedDiff('provider'), noOptions, 'replace'],
  ] as const)('chooses the kind of change for %s', (_title, old, diff, options, kind) => {
    expect(decideChange(old, diff, options).kind).toBe(kind)
  })

  test.each<[string, readonly string[], 'update' | 'replace']>([
    ['the key itself', ['size'], 'replace'],
    ['another key', ['colour'], 'update'],
    ['all keys', ['*'], 'replace'],
  ])(
    'decides about a changed key when replaceOnChanges names %s %j: %s',
    (_title, patterns, kind) => {
      const diff = changeOf({ changedKeys: ['size'] })
      const options = { replaceOnChanges: patterns, isTriggered: false }
      expect(decideChange(healthy, diff, options).kind).toBe(kind)
    },
  )

  test('a path in replaceOnChanges turns the details below it into replacements, and no others', () => {
    const diff = changeOf(detailed(['box.a', 'add'], ['box["b"].c', 'delete'], ['lid', 'update']))
    const options = { replaceOnChanges: ['box'], isTriggered: false }
    const decision = decideChange(healthy, diff, options)
    if (decision.kind === 'same') expect.unreachable()
    expect([...(decision.reason.detailedDiff ?? [])].map(([, { kind }]) => kind)).toEqual([
      'add-replace',
      'delete-replace',
      'update',
    ])
  })

  test('init errors lead to a replacement when replaceOnChanges names them', () => {
    const decision = decideChange(failedInit, noDiff, {
      replaceOnChanges: ['#initerror'],
      isTriggered: false,
    })
    expect(decision).toMatchObject({ kind: 'replace', reason: { keys: ['#initerror'] } })
  })

  test('replacing init errors are added to the details of the provider, if it has any', () => {
    const options = { replaceOnChanges: ['#initerror'], isTriggered: false }
    const decision = decideChange(failedInit, changeOf(detailed(['lid', 'update'])), options)
    if (decision.kind === 'same') expect.unreachable()
    expect(
      [...(decision.reason.detailedDiff ?? [])].map(([path, { kind }]) => [path, kind]),
    ).toEqual([
      ['lid', 'update'],
      ['#initerror', 'update-replace'],
    ])
  })

  test.each([
    ['in replaceOnChanges', changeOf({ changedKeys: ['size'] }), ['size[']],
    ['in a detail', changeOf(detailed(['a[[[', 'update'])), []],
  ])('an invalid path %s is an error', (_title, diff, replaceOnChanges) => {
    const decide = () => decideChange(healthy, diff, { replaceOnChanges, isTriggered: false })
    expect(decide).toThrow(/is not a property path/)
  })

  test('a changed key that is no path matches no pattern', () => {
    const options = { replaceOnChanges: ['size'], isTriggered: false }
    expect(decideChange(healthy, changeOf({ changedKeys: ['[size'] }), options).kind).toBe('update')
  })

  test('the provider decides whether the old resource is deleted first', () => {
    const diff = changeOf({ replaceKeys: ['zone'], deleteBeforeReplace: true })
    expect(decideChange(healthy, diff, noOptions)).toMatchObject({ deleteBeforeReplace: true })
  })

  test('a difference without keys and details is no replacement', () => {
    expect(isReplacement(createForcedDiff(''))).toBe(false)
  })
})
