import { expect, test } from 'vitest'
import { checkOutlives, unharmed } from './resume.ts'

test('a deployment that was killed at any eighth effect goes on where it was', async () => {
  const { effects, final } = await unharmed()
  let outlived = 0
  for (let effect = 1; effect <= effects; effect += 8) {
    const found = await checkOutlives(
      { effect, when: effect % 16 === 1 ? 'before' : 'after' },
      final,
    )
    if (found !== undefined && !found.isUnknowable) outlived += 1
  }
  expect(outlived).toBeGreaterThan(effects / 16)
}, 120_000)
