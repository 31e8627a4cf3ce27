import { test } from 'vitest'
import { checkLarge } from './large.ts'

test(
  'twenty states of five megabytes each are deployed and destroyed',
  () => checkLarge(20, 5e6),
  600_000,
)
