import { test } from 'vitest'
import { expectSoundSimulation } from './run-simulation.ts'

test('400 seeds break no rule', () => {
  expectSoundSimulation(['--seeds', '400'])
})

test('100 seeds over the adapters for AWS break no rule', () => {
  expectSoundSimulation(['--seeds', '100', '--platform', 'aws'])
})
