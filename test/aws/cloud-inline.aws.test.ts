import { describeInlineOperations } from './cloud-inline.ts'

// The nightly tier runs the other programs.
describeInlineOperations([
  ['small', '8', false],
  ['small', '0', true],
])
