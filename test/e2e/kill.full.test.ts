import { test } from 'vitest'
import { checkKill } from './check-kill.ts'

// The nightly tier runs thirty randomly drawn kills.
test.each([
  { whom: 'group' as const, objects: 0 },
  { whom: 'process' as const, objects: 1 },
  { whom: 'group' as const, objects: 9 },
  { whom: 'process' as const, objects: 30 },
  { whom: 'group' as const, objects: 45 },
])(
  'a kill of the $whom after $objects of 50 creates loses no object',
  async killing => {
    await checkKill(killing)
  },
  240_000,
)
