import { test } from 'vitest'
import { expectSoundSimulation } from './run-simulation.ts'

test('200 seeds break no rule', () => {
  expectSoundSimulation(['--seeds', '200'])
})

test('50 seeds over the adapters for AWS break no rule', () => {
  expectSoundSimulation(['--seeds', '50', '--platform', 'aws'])
})
