import { expect, test } from 'vitest'
import { cpuOf, scales } from './scale.ts'

/** Four times as many; what grows with their square takes sixteen times as long. */
const [few, many] = [300, 1_200]

test.each(scales)(
  'processor time grows with the number of resources: $name',
  async scale => {
    await cpuOf(scale, 30)
    const small = await cpuOf(scale, few)
    const large = await cpuOf(scale, many)
    // Others use the machine, and small runs have costs of their own: half of the square's.
    expect(large / small, `${small} ms, then ${large} ms`).toBeLessThan(8)
  },
  600_000,
)
