import { afterAll, test } from 'vitest'
import { checkEffects, removePreparedHomes, scenarios } from './resume.ts'

afterAll(removePreparedHomes)

test.concurrent.each(scenarios)(
  '$name is resumed after a kill before each of its effects',
  scenario => checkEffects(scenario, 1),
  1_200_000,
)
