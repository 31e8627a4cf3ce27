import { afterAll, test } from 'vitest'
import { checkEffects, removePlaces, scenarios } from './resume.ts'

afterAll(removePlaces)

test.concurrent.each(scenarios)(
  '$name that was killed before any of its effects goes on where it was',
  scenario => checkEffects(scenario, 1),
  1_200_000,
)
