import { expect, vi } from 'vitest'
import { functionsTable } from '../../infra/functions-table.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { sumDeploymentCost } from '../../shared/records/deployment-cost.ts'
import { addUsage, noUsage, type UsageCounts } from '../../shared/records/usage.ts'
import type { CloudSandbox } from './cloud-sandbox.ts'
import type { CountingProxy } from './counting-proxy.ts'
import { noCounts, addCounts } from './counts.ts'

/**
 * The largest numbers of requests that belong to no deployment. Such requests come from the check
 * for another deployment after the end of each one. The proxy also counts a read whose response
 * came too late for the function.
 */
const unassignedMax = { writeUnits: 8, readUnits: 20, puts: 0, gets: 2, messages: 10 } as const

/**
 * Expects that the recorded usage of all deployments of a sandbox is the usage that a proxy has
 * counted. Requests without a deployment are an exception. Expects the same of the time of the
 * functions, within a tenth.
 */
export async function expectCountedUsage(
  sandbox: CloudSandbox,
  proxy: CountingProxy,
): Promise<void> {
  let total = noCounts
  // The last call stores its usage after the end of its deployment.
  await vi.waitFor(async () => {
    const counts = await readAllUsage(sandbox)
    total = addCounts(total, proxy.takeCounts())
    const missing = Object.keys(unassignedMax).map(text => {
      const name = text as keyof typeof unassignedMax
      const difference = total[name] - counts[name]
      return difference >= 0 && difference <= unassignedMax[name] ? [] : [name, total[name], counts]
    })
    expect(missing.flat()).toEqual([])
    const ratio = counts.gbSeconds / measureGbSeconds(sandbox)
    expect([ratio > 0.9, ratio < 1.1], String(ratio)).toEqual([true, true])
  }, 20_000)
}

async function readAllUsage({ control, stack }: CloudSandbox): Promise<UsageCounts> {
  const { catalog, usage } = control.platform
  const history = await catalog.listHistory(stack, 10)
  const lists = await Promise.all(history.map(({ deployment }) => usage.list(deployment)))
  return lists
    .map(records => sumDeploymentCost(records).total?.counts ?? noUsage)
    .reduce((sum, counts) => addUsage(sum, counts), noUsage)
}

/** Returns the GB-seconds of the calls as the local cloud has measured them. */
function measureGbSeconds({ calls }: CloudSandbox): number {
  const settings = readInstallationSettings({ 'antichain:region': 'us-east-1' })
  if ('problems' in settings) throw new Error(settings.problems.join('; '))
  return calls.reduce((sum, { name, durationMs }) => {
    const memoryMb = functionsTable.find(row => row.name === name)?.memoryMb(settings) ?? 0
    return sum + (memoryMb / 1024) * (durationMs / 1000)
  }, 0)
}
