import { expect, test } from 'vitest'
import { findNewestMatch, parseVersionConstraints } from './version-constraints.ts'

const versions = ['0.9.0', '1.0.0', '1.2.0', '1.2.5', '1.3.0', '2.0.0-rc1', '2.0.0', '2.1.0-beta1']

test.each([
  ['', '2.0.0'],
  ['1.2', '1.2.0'],
  ['= 1.2.5', '1.2.5'],
  ['v1.0.0', '1.0.0'],
  ['~> 1.2.0', '1.2.5'],
  ['~> 1.2', '1.3.0'],
  ['~> 1', '1.3.0'],
  ['>= 1.0, < 1.3', '1.2.5'],
  ['> 1.2.5, != 2.0.0', '1.3.0'],
  ['<= 1.0', '1.0.0'],
  ['2.1.0-beta1', '2.1.0-beta1'],
  ['>= 2.1.0-beta1', undefined],
  ['< 0.9', undefined],
])('the newest version that meets %j is %s', (text, newest) => {
  expect(findNewestMatch(versions, parseVersionConstraints(text))).toBe(newest)
})

test('an exact condition gives the exact version, and a range gives none', () => {
  expect(parseVersionConstraints('>= 1.0, 1.2').exactVersion).toBe('1.2.0')
  expect(parseVersionConstraints('~> 1.2').exactVersion).toBeUndefined()
})

test.each(['latest', '>> 1.0', '1.2.3.4', '^1.0', '>= 1.0,', '1.x'])(
  'the condition %j is refused',
  text => {
    expect(() => parseVersionConstraints(text)).toThrow('is not a condition of a version')
  },
)
