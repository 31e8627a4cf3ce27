import { describe, expect, test } from 'vitest'
import { diffInputs } from './diff.ts'
import { type PropertyMap, type PropertyValue, secretOf, unknown } from './value.ts'

const map = (fields: Record<string, PropertyValue>): PropertyMap => new Map(Object.entries(fields))

function found(a: Record<string, PropertyValue>, b: Record<string, PropertyValue>) {
  const diff = diffInputs(map(a), map(b))
  if (diff === undefined) return undefined
  return {
    keys: diff.changedKeys,
    ...Object.fromEntries([...diff.detailedDiff].map(([path, { kind }]) => [path, kind])),
  }
}

describe('the own diff of the engine', () => {
  test('sees through secrets and outputs', () => {
    const output = { kind: 'output', secret: true, value: 2, dependencies: [] } as const
    expect(found({ a: 1, b: [output] }, { a: secretOf(1), b: [2] })).toBeUndefined()
  })

  test('names each place by its path and its kind', () => {
    expect(
      found(
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

  test('takes null for nothing in objects, but not in lists', () => {
    expect(found({ a: null }, {})).toBeUndefined()
    expect(found({ a: [] }, { a: [null] })).toEqual({ keys: ['a'], 'a[0]': 'add' })
    expect(found({ a: [1, null] }, { a: [1] })).toEqual({ keys: ['a'], 'a[1]': 'delete' })
  })

  test('takes the unknown for a change', () => {
    expect(found({ a: 1 }, { a: unknown })).toEqual({ keys: ['a'], a: 'update' })
    expect(found({}, { a: unknown })).toEqual({ keys: ['a'], a: 'add' })
  })

  test('takes another kind of value for one update', () => {
    expect(found({ a: [1] }, { a: map({ b: 1 }) })).toEqual({ keys: ['a'], a: 'update' })
  })
})
