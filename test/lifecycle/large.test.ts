import { test } from 'vitest'
import { checkLarge } from './large.ts'

test('a state of five megabytes is stored in the blob store and read again', () =>
  checkLarge(1, 5e6))
