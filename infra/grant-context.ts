import { Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import {
  groupInstallationOf,
  type InstallationNames,
  installationNamesOf,
} from '../shared/config/aws-resource-names.ts'
import type { EncryptionKeys } from './constructs/encryption.ts'
import type { Queues } from './constructs/queues.ts'
import type { Stores } from './constructs/stores.ts'
import type { FunctionRow } from './function-row.ts'
import type { Settings } from './settings.ts'

/** The resources of one group of stacks. */
export interface GroupResources {
  /** The settings of the group, whose `installation` begins the names of its resources. */
  readonly settings: Settings
  readonly keys: EncryptionKeys
  readonly stores: Stores
  readonly queues: Queues
}

/** The resources to which grants apply: those of one group, and of `otherGroups`. */
export interface GrantContext extends GroupResources {
  /** The other groups, for a role of a function that all groups share. */
  readonly otherGroups: readonly GroupResources[]
  /** The settings of the installation. */
  readonly installationSettings: Settings
}

/** Returns the resources of all groups of a role. */
export const listGroups = (grantContext: GrantContext): readonly GroupResources[] => [
  grantContext,
  ...grantContext.otherGroups,
]

/** Returns the context of a row: functions of a group use the resources of this group only. */
export const contextOfRow = <Context extends GrantContext>(
  context: Context,
  row: Pick<FunctionRow, 'isPerGroup'>,
): Context => (row.isPerGroup === true ? { ...context, otherGroups: [] } : context)

/**
 * Returns the ARN patterns of a kind of resource in all other groups of a role. One pattern for all
 * groups keeps the role within the size limit of IAM. It matches groups only, because no other name
 * contains `_`.
 */
export function otherGroupArnsOf(
  scope: Construct,
  { otherGroups, installationSettings }: GrantContext,
  nameOf: (names: InstallationNames) => { readonly service: string; readonly name: string },
): readonly string[] {
  if (otherGroups.length === 0) return []
  const names = installationNamesOf(groupInstallationOf(installationSettings.installation, '*'))
  const { service, name } = nameOf(names)
  return [
    service === 'sqs'
      ? Stack.of(scope).formatArn({ service, resource: name })
      : Stack.of(scope).formatArn({ service, resource: 'table', resourceName: name }),
  ]
}

/** Creates a statement that allows actions. */
export const allowActions = (
  actions: readonly string[],
  resources: readonly string[],
  conditions?: Readonly<Record<string, unknown>>,
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  })
