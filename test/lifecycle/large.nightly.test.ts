import { test } from 'vitest'
import { checkLarge } from './large.ts'

test(
  'twenty resources with states of five megabytes each are created, kept, updated and deleted',
  () => checkLarge(20, 5e6),
  600_000,
)
