import { expect, test } from 'vitest'
import { listOf, mapOf, objectOf, setOf } from './build-value.ts'
import {
  createAttributeStep,
  formatCtyPath,
  createIndexStep,
  isAtOrBelow,
  createKeyStep,
} from './cty-path.ts'
import { dynamicType, listType, createObjectType, stringType } from './type-system.ts'
import { nullOf, stringOf } from './cty-value.ts'
import { unknownOf } from './unknown-value.ts'
import { findAtCtyPath, replaceUnknowns, unknownPathsOf, walkValue } from './walk-value.ts'

const value = objectOf([
  ['list', listOf([stringOf('a'), unknownOf(stringType)], stringType)],
  ['map', mapOf([['k.1', unknownOf(stringType)]], stringType)],
  ['set', setOf([unknownOf(stringType)], stringType)],
  ['none', nullOf(createObjectType([['x', stringType]]))],
])

test('a walk visits outer parts first, and skips parts on request', () => {
  const paths: string[] = []
  walkValue(value, (_part, path) => {
    paths.push(formatCtyPath(path))
    return formatCtyPath(path) !== 'list'
  })
  expect(paths).toEqual(['', 'list', 'map', 'map["k.1"]', 'none', 'set', 'set[set element]'])
})

test('unknown parts are found, and become null', () => {
  expect(unknownPathsOf(value).map(formatCtyPath)).toEqual([
    'list[1]',
    'map["k.1"]',
    'set[set element]',
  ])
  const known = replaceUnknowns(value)
  expect(unknownPathsOf(known)).toEqual([])
  expect(known.type).toEqual(value.type)
  expect(findAtCtyPath(known, [createAttributeStep('list'), createIndexStep(1)])).toEqual(
    nullOf(stringType),
  )
})

test('a path leads to a part, or to nothing', () => {
  expect(findAtCtyPath(value, [createAttributeStep('list'), createIndexStep(0)])).toEqual(
    stringOf('a'),
  )
  expect(findAtCtyPath(value, [createAttributeStep('list'), createIndexStep(2)])).toBeUndefined()
  expect(findAtCtyPath(value, [createAttributeStep('map'), createKeyStep('k.1')])?.kind).toBe(
    'unknown',
  )
  expect(findAtCtyPath(value, [createAttributeStep('map'), createKeyStep('other')])).toBeUndefined()
  expect(
    findAtCtyPath(value, [createAttributeStep('set'), { kind: 'element', position: 0 }])?.kind,
  ).toBe('unknown')
  expect(
    findAtCtyPath(value, [createAttributeStep('none'), createAttributeStep('x')]),
  ).toBeUndefined()
  expect(findAtCtyPath(value, [])).toBe(value)
})

test('all parts of an unknown value are unknown', () => {
  const unknown = unknownOf(createObjectType([['a', listType(stringType)]]))
  expect(findAtCtyPath(unknown, [createAttributeStep('a'), createIndexStep(7)])).toEqual(
    unknownOf(stringType),
  )
  expect(findAtCtyPath(unknown, [createAttributeStep('b')])).toBeUndefined()
  expect(
    findAtCtyPath(unknownOf(dynamicType), [createAttributeStep('b'), createIndexStep(1)])?.kind,
  ).toBe('unknown')
})

test('a path is at or below itself and each of its beginnings', () => {
  const path = [createAttributeStep('a'), createKeyStep('b')]
  expect(isAtOrBelow(path, [createAttributeStep('a')])).toBe(true)
  expect(isAtOrBelow(path, path)).toBe(true)
  expect(isAtOrBelow([createAttributeStep('a')], path)).toBe(false)
  expect(isAtOrBelow(path, [createKeyStep('a')])).toBe(false)
})
