import type { CatalogPort, HistoryRecord, StackRecord } from '../ports/catalog.ts'
import { type DeploymentId, deploymentPartsOf } from '../records/ids.ts'

/**
 * Returns the deployment that a client names by `latest`, or by a version of the history instead of
 * an update id. If several deployments have the version, returns the oldest of them: it published
 * the version, and the later ones published none. Returns undefined for any other name, and for a
 * version that the history lacks. The number of reads grows with the logarithm of the number of
 * deployments.
 */
export async function findNamedDeployment(
  catalog: Pick<CatalogPort, 'listHistory'>,
  stack: StackRecord,
  name: string,
): Promise<DeploymentId | undefined> {
  if (name === 'latest') return (await catalog.listHistory(stack.id, 1))[0]?.deployment
  if (!/^[1-9]\d{0,8}$/.test(name)) return undefined
  const version = Number(name)
  const record = await findFirstFromVersion(catalog, stack, version)
  const isSame = record !== undefined && clientVersionOf(stack, record.version) === version
  return isSame ? record.deployment : undefined
}

/**
 * Finds the oldest entry whose version is at least `version`, by bisection. Versions never decrease
 * from one deployment to the next. The retention may have removed the entries of some numbers.
 */
async function findFirstFromVersion(
  catalog: Pick<CatalogPort, 'listHistory'>,
  stack: StackRecord,
  version: number,
): Promise<HistoryRecord | undefined> {
  let first: HistoryRecord | undefined
  for (let low = 1, high = stack.deployments; low <= high; ) {
    const middle = Math.floor((low + high) / 2)
    const [record] = await catalog.listHistory(stack.id, 1, middle + 1)
    if (record === undefined || clientVersionOf(stack, record.version) < version) low = middle + 1
    else {
      first = record
      high = deploymentPartsOf(record.deployment).number - 1
    }
  }
  return first
}

/**
 * Returns the version of a history entry for clients. An entry without a version is in progress,
 * and gets the version that it will publish.
 */
export function clientVersionOf(stack: StackRecord, version: number | undefined): number {
  return version ?? stack.version + 1
}
