import { expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import { measureSizes } from './record-sizes.ts'

test('the size of a record does not depend on the size of the stack', async () => {
  // The small stack already fills messages, joins and log records.
  const [small, large] = [await measureSizes(320), await measureSizes(960)]
  // Operation ids of the large stack have one more digit. A message has 64 ids, and a head 32.
  for (const [kind, bytes] of Object.entries(large))
    expect(bytes, kind).toBeLessThanOrEqual((small[kind] ?? 0) * 1.05 + limits.chainOperationsMax)
  const { log = 0, outcome = 0, message = 0, ...tiny } = large
  for (const [kind, bytes] of Object.entries(tiny)) expect(bytes, kind).toBeLessThan(512)
  expect(outcome).toBeLessThan(1_024)
  expect(message).toBeLessThan(8 * limits.chainOperationsMax)
  expect(log).toBeLessThan(limits.recordBytesMax / 2)
}, 300_000)
