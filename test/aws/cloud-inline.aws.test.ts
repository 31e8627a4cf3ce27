import { describeInlineOperations } from './cloud-inline.ts'

// Each row: the program, the limit of inline operations, and whether executors run operations then.
// The nightly tier runs the other programs.
describeInlineOperations([
  ['small', '8', false],
  ['small', '0', true],
])
