import { afterAll, test } from 'vitest'
import { checkEffects, removePlaces, scenarios } from './resume.ts'

afterAll(removePlaces)

// Every effect has its turn at night.
test.concurrent.each(scenarios)(
  '$name that was killed before any eighth of its effects goes on where it was',
  scenario => checkEffects(scenario, 8),
  1_200_000,
)
