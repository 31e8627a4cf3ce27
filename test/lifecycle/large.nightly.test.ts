import { test } from 'vitest'
import { checkLarge } from './large.ts'

test(
  'twenty states of five megabytes each, a hundred in all, deploy and go',
  () => checkLarge(20, 5e6),
  600_000,
)
