import { test } from 'vitest'
import { checkLarge } from './large.ts'

test('a state of five megabytes goes to the blob store and comes back', () => checkLarge(1, 5e6))
