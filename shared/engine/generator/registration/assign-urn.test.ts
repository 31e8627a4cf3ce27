import { describe, expect, test } from 'vitest'
import type { Alias } from '../../../names/alias.ts'
import type { Urn } from '../../../names/urn.ts'
import { createResourceState } from '../../../state/resource.ts'
import { emptySnapshot } from '../../../state/snapshot.ts'
import { createBase } from '../../deployment/state/base.ts'
import { createSets, reduceSets, type WritableSets } from '../reduce-sets.ts'
import type { Result } from '../stage.ts'
import { assignUrn, type UrnAssignment } from './assign-urn.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const resources = ['a', 'old'].map(name =>
  createResourceState({ urn: urnOf(name), type: 'a:b:C', custom: true, id: name }),
)
const base = createBase({ ...emptySnapshot, resources }, 1)

function assign(
  sets: WritableSets,
  name: string,
  aliases: readonly Alias[] = [],
): Result<UrnAssignment> {
  const input = { stack: 'dev', project: 'shop', base, sets }
  const result = assignUrn(input, { type: 'a:b:C', name, parent: '', aliases })
  reduceSets(sets, result.delta ?? {})
  return result
}
const messageOf = (result: Result<UrnAssignment>): string | undefined =>
  result.kind === 'failed' ? result.failure.diagnostics[0]?.message : undefined

describe('assignUrn', () => {
  test('finds the old state of a URN', () => {
    const result = assign(createSets(), 'a')
    expect(result).toMatchObject({ kind: 'decided', value: { urn: urnOf('a'), baseIndex: 0 } })
  })

  test('finds no old state for a new URN', () => {
    const result = assign(createSets(), 'new')
    expect(result).toMatchObject({ kind: 'decided', value: { old: undefined, alias: undefined } })
  })

  test('finds the old state of an alias and records the alias', () => {
    const sets = createSets()
    const result = assign(sets, 'new', [{ kind: 'urn', urn: urnOf('old') }])
    expect(result).toMatchObject({ kind: 'decided', value: { baseIndex: 1, alias: urnOf('old') } })
    expect(sets.formerUrns.get(urnOf('new'))).toBe(urnOf('old'))
  })

  test('fails for a URN that is registered already', () => {
    const sets = createSets()
    assign(sets, 'a')
    expect(messageOf(assign(sets, 'a'))).toMatch(/^Duplicate resource URN/)
  })

  test('fails for an alias that another resource has already', () => {
    const sets = createSets()
    const aliases: readonly Alias[] = [{ kind: 'urn', urn: urnOf('old') }]
    assign(sets, 'new', aliases)
    expect(messageOf(assign(sets, 'other', aliases))).toMatch(/is an alias of .*new' already$/)
    expect(messageOf(assign(sets, 'old'))).toMatch(/has as an alias$/)
  })
})
