import { test } from 'vitest'
import { checkGoesOn } from './processes.ts'

test.each([
  { whom: 'executor', during: 'up', objects: 12 },
  { whom: 'all', during: 'up', objects: 25 },
  { whom: 'generator', during: 'destroy', objects: 10 },
  { whom: 'executor', during: 'destroy', objects: 20 },
  { whom: 'all', during: 'destroy', objects: 30 },
] as const)(
  '$during goes on by itself when $whom is killed after $objects',
  async killing => {
    await checkGoesOn(killing)
  },
  90_000,
)
