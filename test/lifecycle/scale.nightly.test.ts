import { expect, test } from 'vitest'
import { measureCpu, scales } from './scale.ts'

/** Four times as many; what grows with their square takes sixteen times as long. */
const [few, many] = [300, 1_200]

test.each(scales)(
  'processor time grows with the number of resources: $name',
  async scale => {
    await measureCpu(scale, 30)
    const small = await measureCpu(scale, few)
    const large = await measureCpu(scale, many)
    // Others use the machine, and small runs have costs of their own: half of the square's.
    expect(large / small, `${small} ms, then ${large} ms`).toBeLessThan(8)
  },
  600_000,
)
