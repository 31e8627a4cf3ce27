import { test } from 'vitest'
import { checkKilled } from './killed.ts'

const moments = [0, 1, 9, 30, 45]

test.each(
  moments.flatMap(objects => [
    { whom: 'group' as const, objects },
    { whom: 'process' as const, objects },
  ]),
)(
  'a kill of the $whom after $objects of 50 creates loses nothing',
  async killing => {
    await checkKilled(killing)
  },
  240_000,
)
