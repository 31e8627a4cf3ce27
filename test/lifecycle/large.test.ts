import { test } from 'vitest'
import { checkLarge } from './large.ts'

test('a resource with a state of five megabytes is created, kept, updated and deleted', () =>
  checkLarge(1, 5e6))
