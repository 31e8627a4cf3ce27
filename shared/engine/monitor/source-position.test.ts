import { expect, test } from 'vitest'
import { toProjectPosition } from './source-position.ts'

const positionTextOf = (uri: string, line = 0, column = 0): string =>
  toProjectPosition({ uri, line, column }, '/srv/shop')

test.each([
  [
    'a line and a column',
    positionTextOf('file:///srv/shop/index.ts', 3, 7),
    'project:///index.ts#3,7',
  ],
  ['a line alone', positionTextOf('file:///srv/shop/lib/a.ts', 3), 'project:///lib/a.ts#3'],
  ['no line', positionTextOf('file:///srv/shop/index.ts'), 'project:///index.ts'],
  [
    'a file outside the project',
    positionTextOf('file:///srv/lib/a.ts', 1),
    'project:///../lib/a.ts#1',
  ],
  [
    'a name with a space',
    positionTextOf('file:///srv/shop/my%20lib/%C3%BC(1).ts', 1),
    'project:///my%20lib/%C3%BC%281%29.ts#1',
  ],
  ['an address that is not a file', positionTextOf('https://example.org/a.ts', 1), ''],
  ['a file on another machine', positionTextOf('file://elsewhere/srv/shop/a.ts', 1), ''],
  ['no file', positionTextOf(''), ''],
])('a position with %s is translated to %j', (_what, position, expected) => {
  expect(position).toBe(expected)
})
