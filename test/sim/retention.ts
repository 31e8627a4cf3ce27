import type { CatalogPort } from '../../shared/ports/catalog.ts'
import type { ControlPort } from '../../shared/ports/records.ts'
import type { RetentionPort } from '../../shared/ports/retention.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import { isOpenDeployment } from '../../shared/ports/open-deployments.ts'
import type { SynchronousPort } from './sync.ts'

/** One kind of record: the deployments with such records, and their removal. */
export interface RecordTable {
  readonly deployments: () => Iterable<string>
  readonly remove: (deployment: DeploymentId) => void
}

/**
 * Creates the retention port. Each call of `removeRecords` removes the records of a deployment from
 * one table, in the order of `tables`.
 */
export function createRetention(
  tables: readonly RecordTable[],
  {
    control,
    catalog,
  }: {
    readonly control: SynchronousPort<ControlPort>
    readonly catalog: SynchronousPort<CatalogPort>
  },
  removeVersions: (through: number) => void,
): SynchronousPort<RetentionPort> {
  const isOpen = (deployment: DeploymentId): boolean =>
    isOpenDeployment(catalog.getStack(deploymentPartsOf(deployment).stack), deployment)
  const holdsRecords = (table: RecordTable, deployment: DeploymentId): boolean =>
    [...table.deployments()].includes(deployment)
  return {
    listDeployments: () => {
      const ids = new Set(tables.flatMap(table => [...table.deployments()]))
      return ([...ids].toSorted() as DeploymentId[]).map(deployment => {
        const { stack } = deploymentPartsOf(deployment)
        const historyLine = catalog
          .listHistory(stack, 1e9)
          .find(line => line.deployment === deployment)
        return {
          deployment,
          closed: control.read(deployment)?.closed,
          isOpen: isOpen(deployment),
          ...(historyLine?.endedAt === undefined ? {} : { endedAt: historyLine.endedAt }),
          isInHistory: historyLine !== undefined,
        }
      })
    },
    removeRecords(deployment) {
      if (control.read(deployment)?.closed === false || isOpen(deployment)) return true
      tables.find(table => holdsRecords(table, deployment))?.remove(deployment)
      return !tables.some(table => holdsRecords(table, deployment))
    },
    removeLeftovers: () => undefined,
    removeVersions: (stack, through) => {
      if ((catalog.getStack(stack)?.version ?? 0) > through) removeVersions(through)
    },
    listReferences: () => ({ hashes: [], next: undefined }),
  }
}

/** Returns the table over a map whose keys begin with a deployment. */
export function recordTableOf(records: Map<string, unknown>): RecordTable {
  const deploymentIn = (key: string): string => key.split(' ')[0] ?? ''
  return {
    deployments: () => [...records.keys()].map(deploymentIn),
    remove(deployment) {
      for (const key of [...records.keys()])
        if (deploymentIn(key) === deployment) records.delete(key)
    },
  }
}
