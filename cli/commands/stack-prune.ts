import { deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatRanges } from '../display/ranges.ts'
import { formatTable } from '../display/table.ts'

/**
 * `stack prune`: removes old records and versions, and blobs without a reference. With --dry-run it
 * only reports them.
 */
export const pruneStack: Handler = async (session, flags) => {
  const dryRun = flags.isSet('dryRun')
  const engine = await session.openEngine()
  const stackField = flags.isSet('all') ? {} : { stack: await session.requireStack() }
  const { deployments, removedVersions, blobs } = await engine.prune({ ...stackField, dryRun })
  if (flags.isSet('json')) {
    session.print(
      JSON.stringify({ dryRun, deployments, versions: removedVersions, blobs }, null, 2),
    )
    return 0
  }
  const stacks = new Set([
    ...deployments.map(deployment => deploymentPartsOf(deployment).stack),
    ...removedVersions.map(entry => entry.stack),
  ])
  const rows = [...stacks].map(stackName => [
    stackName,
    formatRanges(
      deployments
        .map(deploymentPartsOf)
        .filter(parts => parts.stack === stackName)
        .map(parts => parts.number),
    ),
    formatRanges(
      removedVersions.find(entry => entry.stack === stackName)?.versions.toReversed() ?? [],
    ),
  ])
  if (rows.length > 0)
    for (const line of formatTable(['STACK', 'DEPLOYMENTS', 'VERSIONS'], rows)) session.print(line)
  session.printToStderr(
    `${dryRun ? 'Would remove' : 'Removed'} the records of ${deployments.length} deployments and ` +
      `${blobs.removed + blobs.unfinished} blobs (${blobs.bytes} bytes). ${blobs.setAside} more blobs ` +
      `${dryRun ? 'would be' : 'are'} set aside and removed a day later.`,
  )
  return 0
}
