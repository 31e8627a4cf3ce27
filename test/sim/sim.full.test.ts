import { test } from 'vitest'
import { expectSoundSimulation } from './run-simulation.ts'

// The first tier runs the first hundred seeds.
test('a second hundred seeds break no rule', () => {
  expectSoundSimulation(['--from', '101', '--seeds', '100'])
})

test('50 seeds over the adapters for AWS break no rule', () => {
  expectSoundSimulation(['--seeds', '50', '--platform', 'aws'])
})
