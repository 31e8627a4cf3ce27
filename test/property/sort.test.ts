import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inspectIntegrity, verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { manifestOf } from '../../shared/state/snapshot-codec.ts'
import { sortTopologically } from '../../shared/state/topological-sort.ts'
import type { StoredResource } from '../../shared/state/stored.ts'

const urnOf = (index: number): string => `urn:pulumi:dev::shop::a:b:C::r${index}`

const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::p'

/** Lists of resources. Each resource depends on some earlier ones. */
const ordered = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 30 }).map(edges =>
  edges.map((targets, index): StoredResource => {
    const urns = index === 0 ? [] : targets.map(target => urnOf(target % index))
    const [parent = '', ...dependencies] = urns
    return { urn: urnOf(index), custom: true, type: 'a:b:C', parent, dependencies }
  }),
)

const shuffled = ordered.chain(list =>
  fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length }),
)

const faultOf = (resources: readonly StoredResource[]): string | undefined =>
  verifyIntegrity({ manifest: manifestOf('', ''), resources, metadata: {} })

test('an ordered list is unchanged', () => {
  fc.assert(
    fc.property(ordered, list => {
      expect(sortTopologically(list).resources).toEqual(list)
    }),
  )
})

test('any list without a cycle becomes ordered, and then stays unchanged', () => {
  fc.assert(
    fc.property(shuffled, list => {
      const { resources, cycle } = sortTopologically(list)
      expect(cycle).toBeUndefined()
      expect(faultOf(resources)).toBeUndefined()
      expect(new Set(resources)).toEqual(new Set(list))
      expect(sortTopologically(resources).resources).toEqual(resources)
    }),
  )
})

test.each([true, false])(
  'a state with delete: %s stays after the copy of its dependency that has the other value',
  isOld => {
    const createResource = (name: string, more: object = {}): StoredResource => ({
      urn: `urn:pulumi:dev::shop::a:b:C::${name}`,
      custom: true,
      type: 'a:b:C',
      ...more,
    })
    const withDependency = (name: string): object => ({ dependencies: [createResource(name).urn] })
    const list = [
      createResource('early', { delete: isOld, ...withDependency('user') }),
      createResource('used', { delete: !isOld }),
      createResource('used', { delete: isOld }),
      createResource('user', { delete: isOld, ...withDependency('used') }),
    ]
    const places = sortTopologically(list).resources.map(resource => list.indexOf(resource))
    expect(places.indexOf(1)).toBeLessThan(places.indexOf(3))
    expect(places.indexOf(3)).toBeLessThan(places.indexOf(0))
  },
)

test('a list that the integrity check calls sorted stays unchanged', () => {
  const reference = `${providerUrn}::x`
  const provider: StoredResource = {
    urn: providerUrn,
    custom: true,
    id: 'x',
    type: 'pulumi:providers:a',
  }
  const withProvider = fc
    .tuple(fc.oneof(ordered, shuffled), fc.array(fc.nat(3), { minLength: 30 }), fc.nat(30))
    .map(([list, kinds, position]) => {
      const resources = list.map((resource, index): StoredResource => {
        const kind = kinds[index] ?? 0
        const fields = kind < 2 ? {} : { provider: reference, pendingReplacement: kind === 3 }
        return { ...resource, ...fields }
      })
      return resources.toSpliced(position % (list.length + 1), 0, provider)
    })
  let sortedCount = 0
  fc.assert(
    fc.property(withProvider, resources => {
      const check = inspectIntegrity({ manifest: manifestOf('', ''), resources, metadata: {} })
      expect(check.fault).toBe(faultOf(resources))
      if (!check.isSorted) return
      sortedCount += 1
      expect(sortTopologically(resources).resources).toEqual(resources)
    }),
  )
  expect(sortedCount).toBeGreaterThan(0)
})

test('a list with deleted copies keeps its members, and a sorted one stays unchanged', () => {
  const twins = fc
    .tuple(shuffled, shuffled)
    .map(([live, old]) => [...live, ...old.map(resource => ({ ...resource, delete: true }))])
  fc.assert(
    fc.property(twins, list => {
      const { resources } = sortTopologically(list)
      expect(resources).toHaveLength(list.length)
      expect(faultOf(resources)).toBeUndefined()
      expect(sortTopologically(resources).resources).toEqual(resources)
    }),
  )
})
