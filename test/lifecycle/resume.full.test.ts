import { afterAll, test } from 'vitest'
import { checkEffects, removePreparedHomes, scenarios } from './resume.ts'

afterAll(removePreparedHomes)

// The nightly tier kills before every effect.
test.concurrent.each(scenarios)(
  '$name is resumed after a kill before every eighth of its effects',
  scenario => checkEffects(scenario, 8),
  1_200_000,
)
