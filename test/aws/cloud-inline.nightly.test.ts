import { describeInlineOperations } from './cloud-inline.ts'

describeInlineOperations([
  ['chain', '8', false],
  ['wide', '8', true],
])
