import { test } from 'vitest'
import { checkGoesOn } from './processes.ts'

test.each([
  { whom: 'generator', objects: 12 },
  { whom: 'executor', objects: 12 },
] as const)(
  'a deployment goes on by itself when its $whom is killed',
  async killing => {
    await checkGoesOn(killing)
  },
  90_000,
)
