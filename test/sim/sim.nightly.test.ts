import { test } from 'vitest'
import { expectSoundSimulation } from './run-simulation.ts'

test('2,000 seeds break no rule and reach the required coverage', () => {
  expectSoundSimulation(['--seeds', '2000'])
})

test('600 seeds over the adapters for AWS break no rule and reach the required coverage', () => {
  expectSoundSimulation(['--seeds', '600', '--platform', 'aws'])
})
