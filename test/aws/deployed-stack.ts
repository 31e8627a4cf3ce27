import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { BlobHash, StackId } from '../../shared/records/ids.ts'
import { createStackId, toBlobHash, toEpochMs } from '../contract/open-adapter.ts'

/** Runs a deployment of a stack without a version. It publishes `snapshot` as version 1. */
export async function deployFirstVersion(
  { catalog }: Pick<RecordPorts, 'catalog'>,
  id: StackId,
  snapshot: BlobHash,
): Promise<void> {
  const start = { command: 'up', message: '', at: toEpochMs(2) } as const
  const { deployment } = await catalog.start(id, start)
  await catalog.publish(id, 0, snapshot)
  const end = { at: toEpochMs(3), result: 'succeeded', changes: {}, version: 1 } as const
  await catalog.release(deployment, end)
}

/** Creates a stack with one deployment and one version. */
export async function createDeployedStack(
  ports: Pick<RecordPorts, 'catalog'>,
  snapshot: BlobHash = toBlobHash('a'),
): Promise<StackId> {
  const id = createStackId()
  await ports.catalog.createStack(id, toEpochMs(1))
  await deployFirstVersion(ports, id, snapshot)
  return id
}
