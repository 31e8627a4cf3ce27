import { readHistory } from '../../../shared/engine/deployment/retention/history-and-versions.ts'
import type { CatalogPort, StackRecord } from '../../../shared/ports/catalog.ts'
import type { DeploymentId } from '../../../shared/records/ids.ts'

/**
 * Returns the deployment that a client names by `latest`, or by a version of the history instead of
 * an update id. Several deployments can have one version; the newest one counts. Returns undefined
 * for any other name, and for a version that the history lacks.
 */
export async function findNamedUpdate(
  catalog: Pick<CatalogPort, 'listHistory'>,
  stack: StackRecord,
  name: string,
): Promise<DeploymentId | undefined> {
  if (!/^(?:latest|[1-9]\d{0,8})$/.test(name)) return undefined
  for await (const { deployment, version } of readHistory(catalog, stack.id)) {
    const shownVersion = shownVersionOf(stack, version)
    if (name === 'latest' || shownVersion === Number(name)) return deployment
    if (shownVersion < Number(name)) return undefined
  }
  return undefined
}

/** Returns the version of a history entry for clients. An entry without one is in progress. */
export function shownVersionOf(stack: StackRecord, version: number | undefined): number {
  return version ?? stack.version + 1
}
