import { expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import { readTargeting } from './targeting.ts'

/** Creates the flags of a command line. */
const createFlags = (values: Readonly<Record<string, true | readonly string[]>>): Flags => ({
  isSet: name => values[name] === true,
  text: () => undefined,
  list: name => {
    const value = values[name]
    return Array.isArray(value) ? value : []
  },
})

const none = {
  targets: [],
  excludes: [],
  replaces: [],
  targetDependents: false,
  excludeDependents: false,
  excludeProtected: false,
}

test.each([
  ['no flags, which is undefined', {}, undefined],
  [
    'dependents without targets, which is undefined',
    { targetDependents: true } as const,
    undefined,
  ],
  [
    'targets',
    { target: ['a', 'b*'], targetDependents: true } as const,
    { ...none, targets: ['a', 'b*'], targetDependents: true },
  ],
  [
    'excludes',
    { exclude: ['a'], excludeDependents: true } as const,
    { ...none, excludes: ['a'], excludeDependents: true },
  ],
  ['a replacement', { replace: ['a'] } as const, { ...none, replaces: ['a'] }],
  [
    'a replaced target with other targets and replacements',
    { target: ['t'], replace: ['r'], targetReplace: ['b'] } as const,
    { ...none, targets: ['t', 'b'], replaces: ['r', 'b'] },
  ],
  [
    'a replaced target with excludes',
    { targetReplace: ['b'], exclude: ['x'] } as const,
    { ...none, targets: ['b'], replaces: ['b'], excludes: ['x'] },
  ],
  [
    'the exclusion of protected resources',
    { excludeProtected: true } as const,
    { ...none, excludeProtected: true },
  ],
])('readTargeting returns the selection of %s', (_what, values, expected) => {
  expect(readTargeting(createFlags(values))).toEqual(expected)
})

test.each([
  [{ target: ['a'], exclude: ['b'] }, '--target and --exclude cannot be used together'],
  [
    { target: ['a'], excludeProtected: true as const },
    '--target and --exclude-protected cannot be used together',
  ],
])('contradictory flags are refused: %j', (values, message) => {
  expect(() => readTargeting(createFlags(values))).toThrow(message)
})
