import { describe, expect, test } from 'vitest'
import type { PropertyDiff } from '../../providers/provider.ts'
import { driftOf } from './drift.ts'

const programInputs = new Map([['v', 1]])
const detailedDiffOf = (kind: PropertyDiff['kind']): ReadonlyMap<string, PropertyDiff> =>
  new Map([['v', { kind, inputDiff: true }]])

describe('drift', () => {
  test.each([
    ['add', 'delete'],
    ['add-replace', 'delete-replace'],
    ['delete', 'add'],
    ['delete-replace', 'add-replace'],
    ['update', 'update'],
    ['update-replace', 'update-replace'],
  ] as const)(
    'a property that an update would restore by %s was changed by %s outside of the deployment',
    (kind, driftKind) => {
      const diff = {
        changes: 'some',
        changedKeys: ['v'],
        detailedDiff: detailedDiffOf(kind),
      } as const
      expect(driftOf(diff, { actual: programInputs, programInputs })).toEqual({
        hasDrifted: true,
        reason: { keys: [], diffs: ['v'], detailedDiff: detailedDiffOf(driftKind) },
      })
    },
  )

  test.each([
    ['the provider reports no change', 'none', 2, false],
    ['the provider cannot tell and nothing changed', 'unknown', 1, false],
    ['the provider cannot tell and something changed', 'unknown', 2, true],
    ['the provider gives no details', 'some', 2, true],
  ] as const)('when %s (%s, value %d), hasDrifted is %s', (_title, changes, v, hasDrifted) => {
    const diff = { changes, changedKeys: [], detailedDiff: null }
    const drift = driftOf(diff, { actual: new Map([['v', v]]), programInputs })
    expect(drift.hasDrifted).toBe(hasDrifted)
    const hasDetails = changes === 'unknown' && hasDrifted
    expect(drift.reason.detailedDiff).toEqual(hasDetails ? detailedDiffOf('update') : null)
  })
})
