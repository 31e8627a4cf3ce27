import { afterAll, test } from 'vitest'
import { checkEffects, removePreparedHomes, scenarios } from './resume.ts'

afterAll(removePreparedHomes)

// The nightly tier kills at every effect.
test.concurrent.each(scenarios)(
  '$name that is killed before every eighth effect is resumed',
  scenario => checkEffects(scenario, 8),
  1_200_000,
)
