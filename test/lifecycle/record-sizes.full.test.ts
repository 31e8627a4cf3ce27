import { expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import { measureSizes } from './record-sizes.ts'

test('the size of a record does not depend on the size of the stack', async () => {
  // The small stack already fills messages and joins.
  const [small, large] = [await measureSizes(320), await measureSizes(960)]
  const { log = 0, ...others } = large
  // Operation ids of the large stack have one more digit. A message has 64 ids, and a head 32.
  for (const [kind, bytes] of Object.entries(others))
    expect(bytes, kind).toBeLessThanOrEqual((small[kind] ?? 0) * 1.05 + limits.chainOperationsMax)
  const { outcome = 0, message = 0, ...tiny } = others
  for (const [kind, bytes] of Object.entries(tiny)) expect(bytes, kind).toBeLessThan(512)
  expect(outcome).toBeLessThan(1_024)
  expect(message).toBeLessThan(8 * limits.chainOperationsMax)
  // A log record has the registrations of one turn of the event loop, up to a limit. How many these
  // are depends on the speed of the machine.
  expect(log).toBeLessThan(1_536 * limits.registrationsPerRecordMax)
}, 300_000)
