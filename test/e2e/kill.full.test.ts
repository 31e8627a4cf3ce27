import { test } from 'vitest'
import { checkKill } from './check-kill.ts'

// The nightly tier runs thirty randomly drawn kills.
test.each([
  { target: 'group' as const, objects: 0 },
  { target: 'group' as const, objects: 9 },
  { target: 'process' as const, objects: 30 },
])(
  'a kill of the $target after $objects of 50 creates loses no object',
  async killing => {
    await checkKill(killing)
  },
  240_000,
)
