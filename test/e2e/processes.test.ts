import { test } from 'vitest'
import { checkGoesOn } from './processes.ts'

test('a deployment goes on by itself when its generator is killed', async () => {
  await checkGoesOn({ whom: 'generator', during: 'up', objects: 12 })
}, 90_000)
