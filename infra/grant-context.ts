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
  /** The settings of the group. The names of its resources begin with `installation`. */
  readonly settings: Settings
  readonly keys: EncryptionKeys
  readonly stores: Stores
  readonly queues: Queues
}

/** The resources that the grants of a role cover: those of one group, and of `otherGroups`. */
export interface GrantContext extends GroupResources {
  /** The other groups, for the role of a function that all groups share. Otherwise empty. */
  readonly otherGroups: readonly GroupResources[]
  /** The settings of the installation. */
  readonly installationSettings: Settings
}

/** Returns the resources of all groups that the grants of a role cover, one element per group. */
export const listGroupResources = (grantContext: GrantContext): readonly GroupResources[] => [
  grantContext,
  ...grantContext.otherGroups,
]

/** Returns the context of a function. If the function belongs to one group, it uses no others. */
export const grantContextOfFunction = <Context extends GrantContext>(
  context: Context,
  row: Pick<FunctionRow, 'isPerGroup'>,
): Context => (row.isPerGroup === true ? { ...context, otherGroups: [] } : context)

/**
 * Returns an ARN pattern that matches one queue or table in each other group. Returns no pattern
 * without other groups. A pattern per group would exceed the size limit of IAM for roles. The
 * pattern matches groups only, because no other name contains `_`.
 */
export function otherArnPatternsOf(
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
