import { expect, test } from 'vitest'
import { toProjectPosition } from './source-position.ts'

const at = (uri: string, line = 0, column = 0): string =>
  toProjectPosition({ uri, line, column }, '/srv/shop')

test.each([
  ['a line and a column', at('file:///srv/shop/index.ts', 3, 7), 'project:///index.ts#3,7'],
  ['a line alone', at('file:///srv/shop/lib/a.ts', 3), 'project:///lib/a.ts#3'],
  ['no line', at('file:///srv/shop/index.ts'), 'project:///index.ts'],
  ['a file outside the project', at('file:///srv/lib/a.ts', 1), 'project:///../lib/a.ts#1'],
  [
    'a name with a space',
    at('file:///srv/shop/my%20lib/%C3%BC(1).ts', 1),
    'project:///my%20lib/%C3%BC%281%29.ts#1',
  ],
  ['an address that is not a file', at('https://example.org/a.ts', 1), ''],
  ['a file on another machine', at('file://elsewhere/srv/shop/a.ts', 1), ''],
  ['nothing', at(''), ''],
])('a position with %s', (_what, found, expected) => {
  expect(found).toBe(expected)
})
