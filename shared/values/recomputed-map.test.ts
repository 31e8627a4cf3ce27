import { expect, test } from 'vitest'
import { isMap, type PropertyMap, type PropertyValue } from './value.ts'
import { RecomputedMap } from './recomputed-map.ts'

test('a recomputed map is read like the map that it computes', () => {
  const computed: PropertyMap = new Map<string, PropertyValue>([
    ['a', 1],
    ['b', [true]],
  ])
  const map = new RecomputedMap(computed, map => map)
  expect(isMap(map)).toBe(true)
  expect(map.size).toBe(2)
  expect(map.get('b')).toEqual([true])
  expect([map.has('a'), map.has('c')]).toEqual([true, false])
  expect([...map]).toEqual([...computed])
  expect([...map.keys()]).toEqual(['a', 'b'])
  expect([...map.values()]).toEqual([1, [true]])
  expect([...map.entries()]).toEqual([...computed])
  const visited: unknown[] = []
  map.forEach((value, key) => visited.push([key, value]))
  expect(visited).toEqual([...computed])
})

test('a recomputed map computes when it is first read, and again after many other maps were read', () => {
  let computations = 0
  const map = new RecomputedMap('a', key => {
    computations += 1
    return new Map([[key, computations]])
  })
  expect(computations).toBe(0)
  expect([map.get('a'), map.get('a'), map.size]).toEqual([1, 1, 1])
  // At most 4,096 maps keep their computed objects, and `map` is the first of them.
  for (let count = 0; count < 4095; count += 1) void new RecomputedMap('', () => new Map()).size
  expect(map.get('a')).toBe(1)
  void new RecomputedMap('', () => new Map()).size
  expect([map.get('a'), map.get('a')]).toEqual([2, 2])
})
