import { expect, test } from 'vitest'
import { formatTable } from './table.ts'

test('control characters of a state do not reach the terminal', () => {
  const lines = formatTable(
    ['NAME', 'VALUE'],
    [
      ['a\u001b[2Jb', '\u009b31m\u0007'],
      ['c', 'ü 😀'],
    ],
  )
  expect(lines).toEqual([
    'NAME         VALUE',
    String.raw`a\u{1b}[2Jb  \u{9b}31m\u{7}`,
    'c            ü 😀',
  ])
})
