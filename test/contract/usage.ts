import { describe, expect, test } from 'vitest'
import type { UsagePort } from '../../shared/ports/usage.ts'
import { noUsage } from '../../shared/records/usage.ts'
import { createDeploymentId, type OpenAdapter, withAdapter } from './open-adapter.ts'

/** Tests the counted usage of deployments. */
export function defineUsageContract(
  name: string,
  open: OpenAdapter<{ readonly usage: UsagePort }>,
): void {
  describe(`usage: ${name}`, () => {
    let usage: UsagePort
    withAdapter(open, adapter => {
      usage = adapter.usage
    })

    test('a later usage of a call replaces the earlier one, and calls are kept apart', async () => {
      const deployment = createDeploymentId()
      const record = { part: 'executor', run: 'r1', counts: { ...noUsage, puts: 1 } } as const
      await usage.put(deployment, record)
      const later = { ...record, counts: { ...noUsage, puts: 2, gbSeconds: 0.25 } }
      await usage.put(deployment, later)
      await usage.put(deployment, later)
      const other = { ...record, part: 'watcher' } as const
      await usage.put(deployment, other)
      expect(await usage.list(deployment)).toEqual([later, other])
      expect(await usage.list(createDeploymentId())).toEqual([])
    })
  })
}
