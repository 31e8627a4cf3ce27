import { afterAll, test } from 'vitest'
import { checkEffects, removePlaces, scenarios } from './resume.ts'

afterAll(removePlaces)

// The nightly tier kills at every effect.
test.concurrent.each(scenarios)(
  '$name that is killed before every eighth effect is resumed',
  scenario => checkEffects(scenario, 8),
  1_200_000,
)
