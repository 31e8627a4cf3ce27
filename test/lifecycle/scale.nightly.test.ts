import { expect, test } from 'vitest'
import { measureCpu, scaleCases } from './scale.ts'

/** Numbers of resources. From one to the other, a quadratic cost grows by a factor of sixteen. */
const [few, many] = [300, 1_200]

test.each(scaleCases)(
  'processor time grows linearly with the number of resources: $name',
  async scale => {
    // The first run also has the costs of a start, so its result is not used.
    await measureCpu(scale, 30)
    const small = await measureCpu(scale, few)
    const large = await measureCpu(scale, many)
    // The limit is half of the quadratic growth, because the machine is shared and small runs have
    // fixed costs.
    expect(large / small, `${small} ms, then ${large} ms`).toBeLessThan(8)
  },
  600_000,
)
