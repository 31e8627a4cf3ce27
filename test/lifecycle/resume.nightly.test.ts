import { afterAll, test } from 'vitest'
import { checkEffects, removePreparedHomes, scenarios } from './resume.ts'

afterAll(removePreparedHomes)

test.concurrent.each(scenarios)(
  '$name that is killed before any effect is resumed',
  scenario => checkEffects(scenario, 1),
  1_200_000,
)
