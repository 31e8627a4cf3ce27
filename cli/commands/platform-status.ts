import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { GroupStatus, InstallationStatus } from '../platform/platform-port.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { formatTable } from '../display/table.ts'

/**
 * `platform status`: shows the URLs of an installation, and the tables, buckets and queues of all
 * its groups. Throws PLATFORM_NOT_FOUND when the installation does not exist.
 */
export const showPlatformStatus: Handler = async (session, flags) => {
  const target = readInstallationTarget(session, flags)
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(target)
  const status = await tools.inspect(target, account)
  if (isAbsent(status))
    throw createError(
      'PLATFORM_NOT_FOUND',
      `the installation '${target.installation}' does not exist in account ${account}, ${target.region}`,
    )
  const { installation, region } = target
  if (flags.isSet('json'))
    session.print(JSON.stringify({ installation, account, region, ...status }, undefined, 2))
  else for (const line of formatStatusLines(status)) session.print(line)
  if (status.areGroupsUnknown === true)
    session.printToStderr(
      'warning: other groups of stacks are not shown. Allow sqs:ListQueues, or run `antichain platform deploy` once.',
    )
  return 0
}

function isAbsent({ tables, queues, bucket }: InstallationStatus): boolean {
  const areRecordsAbsent =
    tables.every(({ status }) => status === undefined) &&
    queues.every(({ counts }) => counts === undefined)
  return areRecordsAbsent && !bucket.isThere
}

function formatStatusLines(status: InstallationStatus): readonly string[] {
  const { apiUrl, serviceUrl, webhookUrl } = status
  const groups = [status, ...Object.values(status.groups)]
  const queues = groups.flatMap(group => group.queues)
  return [
    ...formatTable(
      ['RESOURCE', 'STATUS'],
      [
        ...groups.flatMap(formatStoreRows),
        ['API', apiUrl ?? missingText],
        ['Pulumi service', serviceUrl ?? missingText],
        ['webhooks', webhookUrl ?? missingText],
      ],
    ),
    '',
    ...formatTable(
      ['QUEUE', 'WAITING', 'IN FLIGHT', 'DEAD'],
      queues.map(({ name, counts }) =>
        counts === undefined
          ? [name, missingText]
          : [name, String(counts.waiting), String(counts.held), String(counts.dead)],
      ),
    ),
  ]
}

/** Returns the rows of the tables and the bucket of a group. */
const formatStoreRows = ({ tables, bucket }: GroupStatus): readonly string[][] => [
  ...tables.map(({ name, status, isProtected }) => [
    name,
    status === undefined ? missingText : `${status}${isProtected ? '' : ', not protected'}`,
  ]),
  [bucket.name, bucket.isThere ? 'exists' : missingText],
]

const missingText = 'missing'
