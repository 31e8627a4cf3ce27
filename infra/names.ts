import { ArnFormat, type Stack } from 'aws-cdk-lib'
import { bucketNameOf, groupInstallationOf } from '../shared/config/aws-resource-names.ts'
import type { FunctionName } from './function-row.ts'
import type { Settings } from './settings.ts'

/** Returns a name as a logical name: `step-generator` becomes `StepGenerator`. */
export const logicalNameOf = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The partition and the account of a CDK stack. */
export type StackLocation = Pick<Stack, 'partition' | 'account'>

/** Returns the ARN of the bucket, from its name. */
export function bucketArnOf(stack: StackLocation, settings: Settings): string {
  const name = bucketNameOf(settings.installation, stack.account, settings.region)
  return `arn:${stack.partition}:s3:::${name}`
}

/**
 * Returns the ARN of a function, built from its name. A reference to the resource of the function
 * would be circular between functions.
 */
export function functionArnOf(stack: Stack, settings: Settings, name: FunctionName): string {
  return stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${settings.installation}-${name}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

/** Returns the ARN patterns of the roles that deployments may assume. */
export function deploymentRolesOf(
  stack: Pick<StackLocation, 'partition'>,
  settings: Settings,
): readonly string[] {
  return settings.deploymentRoles.length > 0
    ? settings.deploymentRoles
    : [`arn:${stack.partition}:iam::*:role/${settings.installation}-deploy-*`]
}

/**
 * Returns the settings of a group besides the default one. Their `installation` is the prefix of
 * the names of the group's resources. The role patterns of the settings apply to the default group
 * only, so `deploymentRolesOf` returns the default pattern for another group.
 */
export const groupSettingsOf = (settings: Settings, group: string): Settings => ({
  ...settings,
  installation: groupInstallationOf(settings.installation, group),
  deploymentRoles: [],
})

/** Returns the id of the constructs of a group besides the default one. */
export const groupScopeOf = (group: string): string => `Group-${group}`
