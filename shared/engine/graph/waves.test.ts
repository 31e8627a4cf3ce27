import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createResourceState } from '../../state/resource.ts'
import { findDeleteEdges } from './delete-edges.ts'
import { createStateGraph } from './dependencies.ts'
import { wavesOf, describeWaves } from './waves.ts'

const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const stateOf = (name: string, dependencies: readonly string[] = [], parent = '') =>
  createResourceState({
    urn: urnOf(name),
    type: 'a:b:C',
    custom: name !== 'group',
    dependencies: dependencies.map(urnOf),
    parent: parent === '' ? '' : urnOf(parent),
  })

function findWaves(states: readonly ReturnType<typeof stateOf>[]): readonly (readonly string[])[] {
  const indices = states.map((_, index) => index)
  const deleteWaves = wavesOf(indices, findDeleteEdges(createStateGraph(states), new Set(indices)))
  return deleteWaves.map(wave =>
    wave.map(index => states[index]?.urn.split('::').at(-1) ?? '').sort(),
  )
}

describe('waves of deletes', () => {
  test('begin with states without dependents and end with the dependencies of all others', () => {
    const states = [
      stateOf('a'),
      stateOf('b', ['a']),
      stateOf('c', ['a']),
      stateOf('d', ['b', 'c']),
    ]
    expect(findWaves(states)).toEqual([['d'], ['b', 'c'], ['a']])
  })

  test('contain every condemned state once, including components with children', () => {
    const children = Array.from({ length: 40 }, (_, index) =>
      stateOf(`child-${index}`, [], 'group'),
    )
    const deleteWaves = findWaves([stateOf('group'), ...children, stateOf('on', ['group'])])
    expect(deleteWaves.map(wave => wave.length)).toEqual([1, 40, 1])
  })

  test('are described by number and width', () => {
    const text = '4 deletes in 3 waves (1, 2, 1), 2 in the largest'
    expect(describeWaves([[1], [2, 3], [4]], 'dataflow')).toBe(text)
    expect(describeWaves([[1], [2, 3], [4]], 'antichain')).toBe(
      `${text}, each wave after the previous one`,
    )
    expect(describeWaves([[1]], 'dataflow')).toBeUndefined()
    const manyWaves = Array.from({ length: 20 }, (_, index) => [index])
    expect(describeWaves(manyWaves, 'dataflow')).toContain('1, …, 1)')
  })
})
