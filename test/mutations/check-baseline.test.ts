import { expect, test } from 'vitest'
import { findUnmatchedSuites } from './check-baseline.ts'

const passedTests = [
  { file: '/copy/test/a.test.ts', name: 'a lease ends' },
  { file: '/copy/test/b.test.ts', name: 'a queue is read' },
]

// A test of another file would hide that the suite of a mutation runs no test.
test.each([
  ['no pattern', 'test/a.test.ts', undefined, []],
  ['the name of a test', 'test/a.test.ts', '^a lease', []],
  [
    'the name of a test of another file',
    'test/a.test.ts',
    'queue',
    ["test/a.test.ts: no test has a name that matches 'queue'"],
  ],
  [
    'a file without tests',
    'test/c.test.ts',
    undefined,
    ["test/c.test.ts: no test has a name that matches ''"],
  ],
])('the baseline checks a suite with %s', (_case, file, namePattern, problems) => {
  expect(findUnmatchedSuites([{ kind: 'tests', file, namePattern }], passedTests)).toEqual(problems)
})
