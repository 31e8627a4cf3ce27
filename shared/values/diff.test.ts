import { describe, expect, test } from 'vitest'
import { diffInputs } from './diff.ts'
import { type PropertyMap, type PropertyValue, secretOf, unknown } from './value.ts'

const map = (fields: Record<string, PropertyValue>): PropertyMap => new Map(Object.entries(fields))

function findDiff(a: Record<string, PropertyValue>, b: Record<string, PropertyValue>) {
  const diff = diffInputs(map(a), map(b))
  if (diff === undefined) return undefined
  return {
    keys: diff.changedKeys,
    ...Object.fromEntries([...diff.detailedDiff].map(([path, { kind }]) => [path, kind])),
  }
}

describe("the engine's own diff", () => {
  test('ignores secret and output wrappers', () => {
    const output = { kind: 'output', secret: true, value: 2, dependencies: [] } as const
    expect(findDiff({ a: 1, b: [output] }, { a: secretOf(1), b: [2] })).toBeUndefined()
  })

  test('reports each difference with its path and kind', () => {
    expect(
      findDiff(
        { size: 1, gone: true, list: [1, 2, 3], deep: map({ 'a-b': 1, c: null }) },
        { size: 2, list: [1, 4], deep: map({ 'a-b': 2, c: 1 }), fresh: [] },
      ),
    ).toEqual({
      keys: ['deep', 'fresh', 'gone', 'list', 'size'],
      'deep["a-b"]': 'update',
      'deep.c': 'add',
      fresh: 'add',
      gone: 'delete',
      'list[1]': 'update',
      'list[2]': 'delete',
      size: 'update',
    })
  })

  test('treats null as absent in objects, but not in lists', () => {
    expect(findDiff({ a: null }, {})).toBeUndefined()
    expect(findDiff({ a: [] }, { a: [null] })).toEqual({ keys: ['a'], 'a[0]': 'add' })
    expect(findDiff({ a: [1, null] }, { a: [1] })).toEqual({ keys: ['a'], 'a[1]': 'delete' })
  })

  test('treats an unknown as a change', () => {
    expect(findDiff({ a: 1 }, { a: unknown })).toEqual({ keys: ['a'], a: 'update' })
    expect(findDiff({}, { a: unknown })).toEqual({ keys: ['a'], a: 'add' })
  })

  test('treats a change of kind as one update', () => {
    expect(findDiff({ a: [1] }, { a: map({ b: 1 }) })).toEqual({ keys: ['a'], a: 'update' })
  })
})
