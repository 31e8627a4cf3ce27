import {
  deadLetterQueueOf,
  installationNamesOf,
  type QueueName,
  roleNameOf,
} from '../../shared/config/aws-resource-names.ts'
import { formatStackGroups, type StackGroup } from '../../shared/config/stack-groups.ts'
import type { FunctionName } from '../function-row.ts'
import { computeStreamsMax } from '../reserved-concurrency.ts'
import { createResourceVariables, type ResourceVariables } from '../resource-variables.ts'

/** The account id of the emulators. */
export const localAccount = '000000000000'

/** Returns the ARN of a function in the local cloud. */
export function localArnOf(installation: string, region: string, name: FunctionName): string {
  return `arn:aws:lambda:${region}:${localAccount}:function:${installation}-${name}`
}

/** The values of an installation that are the same in all groups. */
interface InstallationValues {
  readonly installation: string
  readonly groups: readonly StackGroup[]
  readonly inlineMax: number
  readonly webhookUrl: string
  readonly serviceUrl: string
  readonly apiUrl: string
}

/** The created resources of one group. */
interface GroupValues {
  /** The prefix of the names of the resources. */
  readonly name: string
  readonly queues: Readonly<Record<QueueName, { readonly url: string }>>
  readonly bucket: string
  readonly key: string
}

/**
 * Creates the variables of the functions of a group. `groupKeys`: the ARNs of the keys of all
 * groups except the default one, separated by commas.
 */
export function createGroupVariables(
  region: string,
  options: InstallationValues,
  { group, groupKeys }: { readonly group: GroupValues; readonly groupKeys: string },
): ResourceVariables {
  const { installation, inlineMax, webhookUrl, apiUrl, serviceUrl } = options
  const { name, queues, bucket, key } = group
  const names = installationNamesOf(name)
  return createResourceVariables({
    installation: () => name,
    journalTable: () => names.journalTable,
    catalogTable: () => names.catalogTable,
    bucket: () => bucket,
    chainsQueue: () => queues.chains.url,
    chainsLongQueue: () => queues['chains-long'].url,
    chainsDeadQueue: () => deadLetterQueueOf(queues.chains.url),
    chainsLongDeadQueue: () => deadLetterQueueOf(queues['chains-long'].url),
    nudgesQueue: () => queues.nudges.url,
    nudgesLongQueue: () => queues['nudges-long'].url,
    notificationsQueue: () => queues.notifications.url,
    notificationsDeadQueue: () => deadLetterQueueOf(queues.notifications.url),
    secretsKey: () => key,
    scheduleGroup: () => installationNamesOf(installation).scheduleGroup,
    scheduleRole: () =>
      `arn:aws:iam::${localAccount}:role/${roleNameOf(installation, 'schedules', region)}`,
    scheduleFunction: () => localArnOf(installation, region, 'schedule'),
    compactionFunction: () => localArnOf(name, region, 'compaction'),
    apiFunction: () => localArnOf(installation, region, 'api'),
    installerFunction: () => localArnOf(installation, region, 'installer'),
    scalerFunction: () => localArnOf(name, region, 'scaler'),
    longTasksMax: () => '1',
    streamsMax: () => String(computeStreamsMax({})),
    inlineMax: () => String(inlineMax),
    groups: () => formatStackGroups(options.groups),
    groupKeys: () => groupKeys,
    webhookUrl: () => webhookUrl,
    apiUrl: () => apiUrl,
    serviceUrl: () => serviceUrl,
  })
}
