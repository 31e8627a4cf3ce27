import { describe, expect, test } from 'vitest'
import { anySegment, containsPath, formatPath, getAtPath, parsePath, resetPaths } from './path.ts'
import { type PropertyMap, type PropertyValue, secretOf } from './value.ts'

const map = (fields: Record<string, PropertyValue>): PropertyMap => new Map(Object.entries(fields))

describe('property paths', () => {
  test.each<[string, readonly unknown[]]>([
    ['', []],
    ['root', ['root']],
    ['root.nested', ['root', 'nested']],
    ['root["nested"]', ['root', 'nested']],
    ['root["key with \\"quotes\\""]', ['root', 'key with "quotes"']],
    ['["key with a ."][100]', ['key with a .', 100]],
    ['a[0][1].b', ['a', 0, 1, 'b']],
    ['a.[0]', ['a', 0]],
    ['foo-bar.$x', ['foo-bar', '$x']],
    ['a[*].b', ['a', anySegment, 'b']],
    ['a["*"]', ['a', anySegment]],
    ['*', [anySegment]],
    ['a["]"]', ['a', ']']],
  ])('are parsed: %s', (text, segments) => {
    expect(parsePath(text)).toEqual(segments)
  })

  test.each(['.a', 'a.', 'a[', 'a["b', 'a["b"', 'a["b"x]', 'a[b]', 'a[]', 'a[1.5]'])(
    'are refused: %s',
    text => {
      expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: 'VALUE_MALFORMED' }))
    },
  )

  test('are written with quotes around names with other characters than letters, digits and _', () => {
    expect(formatPath(['a_1', 'b', 0, 'c-d', 'e"f', anySegment])).toBe(
      'a_1.b[0]["c-d"]["e\\"f"][*]',
    )
    expect(formatPath(['$x'])).toBe('["$x"]')
  })

  test('resolve to values, or to undefined', () => {
    const value = map({ a: [map({ b: 1 })] })
    expect(getAtPath(value, ['a', 0, 'b'])).toBe(1)
    expect(getAtPath(value, ['a', 1, 'b'])).toBeUndefined()
    expect(getAtPath(value, ['a', 'b'])).toBeUndefined()
  })

  test.each([
    ['a', 'a.b[0]', true],
    ['a.b', 'a', false],
    ['a[*].c', 'a[3].c.d', true],
    ['a[*].c', 'a.b.c', true],
    ['*', 'anything', true],
    ['a[0]', 'a["0"]', false],
  ])('whether the path %s contains %s: %s', (pattern, path, expected) => {
    expect(containsPath(parsePath(pattern), parsePath(path))).toBe(expected)
  })
})

describe('resetting ignored changes', () => {
  type Fields = Record<string, PropertyValue>
  test.each<[string, Fields, Fields, string, Fields, boolean]>([
    ['a changed value', { a: 1 }, { a: 2 }, 'a', { a: 1 }, true],
    ['a removed value', { a: 1 }, {}, 'a', { a: 1 }, true],
    ['an added value', {}, { a: 2 }, 'a', {}, true],
    ['one item', { a: [1, 2] }, { a: [3, 4] }, 'a[0]', { a: [1, 4] }, true],
    ['no added item', { a: [1] }, { a: [3, 4] }, 'a[1]', { a: [3, 4] }, false],
    ['no item at a negative index', { a: [1] }, { a: [3] }, 'a[-1]', { a: [3] }, false],
    ['no item that neither side has', { a: [1] }, { a: [3] }, 'a[7]', { a: [3] }, true],
    [
      'deep keys',
      { a: map({ b: 1 }) },
      { a: map({ b: 2, c: 3 }) },
      'a.b',
      { a: map({ b: 1, c: 3 }) },
      true,
    ],
    ['nothing below a removed key', { a: map({ b: 1 }) }, {}, 'a.b', {}, false],
    ['nothing below a key that neither side has', {}, {}, 'a.b', {}, true],
    [
      'all keys',
      { a: map({ b: 1, c: 2 }) },
      { a: map({ b: 2, d: 3 }) },
      'a[*]',
      { a: map({ b: 1, c: 2 }) },
      true,
    ],
    ['the whole object', { a: 1 }, { b: 2 }, '*', { a: 1 }, true],
    [
      'one key of all items',
      { a: [map({ b: 1, c: 1 })] },
      { a: [map({ b: 2, c: 2 })] },
      'a[*].b',
      { a: [map({ b: 1, c: 2 })] },
      true,
    ],
    ['items up to the shorter list', { a: [1, 2] }, { a: [3] }, 'a[*]', { a: [1] }, false],
    [
      'nothing below a wildcard that matches the new value only',
      { a: map({}) },
      { a: map({ x: map({ b: 1 }) }) },
      'a[*].b',
      { a: map({ x: map({ b: 1 }) }) },
      true,
    ],
    [
      'into a secret',
      { a: map({ b: 1 }) },
      { a: secretOf(map({ b: 2 })) },
      'a.b',
      { a: secretOf(map({ b: 1 })) },
      true,
    ],
    [
      'out of a secret, as a secret',
      { a: secretOf(map({ b: 1 })) },
      { a: map({ b: 2 }) },
      'a.b',
      { a: map({ b: secretOf(1) }) },
      true,
    ],
    [
      'between secrets',
      { a: secretOf([1]) },
      { a: secretOf([2]) },
      'a[0]',
      { a: secretOf([1]) },
      true,
    ],
    ['nothing by an unreadable path', { a: 1 }, { a: 2 }, 'a[', { a: 2 }, true],
  ])('resets %s', (_name, old, next, path, expected, isComplete) => {
    const { inputs, unresetPaths } = resetPaths(map(old), map(next), [path])
    expect(inputs).toEqual(map(expected))
    expect(unresetPaths).toEqual(isComplete ? [] : [path])
  })

  test('leaves both inputs unchanged', () => {
    const old = map({ a: map({ b: [1] }) })
    const next = map({ a: map({ b: [2] }) })
    resetPaths(old, next, ['a.b[0]', 'a[*]', '*'])
    expect(old).toEqual(map({ a: map({ b: [1] }) }))
    expect(next).toEqual(map({ a: map({ b: [2] }) }))
  })
})
