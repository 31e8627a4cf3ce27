import { describeInlineOperations } from './cloud-inline.ts'

// Each row: the program, the limit of inline operations, and whether executors run operations then.
describeInlineOperations([
  ['chain', '8', false],
  ['wide', '8', true],
])
