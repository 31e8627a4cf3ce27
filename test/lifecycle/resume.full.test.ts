import { expect, test } from 'vitest'
import { checkOutlives, unharmed } from './resume.ts'

test.each(['before', 'after'] as const)(
  'a deployment that was killed %s any of its effects goes on where it was',
  async when => {
    const { effects, final } = await unharmed()
    let outlived = 0
    let unknowable = 0
    for (let effect = 1; effect <= effects; effect++) {
      const found = await checkOutlives({ effect, when }, final)
      if (found?.isUnknowable === true) unknowable += 1
      else if (found !== undefined) outlived += 1
    }
    console.log(`${when}: ${effects} effects, ${outlived} outlived, ${unknowable} unknowable`)
    expect(outlived).toBeGreaterThan(effects / 2)
  },
  600_000,
)
