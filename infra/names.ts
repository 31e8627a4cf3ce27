import { ArnFormat, type Stack } from 'aws-cdk-lib'
import { bucketNameOf } from '../shared/config/aws-resource-names.ts'
import type { FunctionName } from './functions-table.ts'
import type { Settings } from './settings.ts'

/** `step-generator` as a logical name: `StepGenerator`. */
export const logicalNameOf = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** What a stack knows of where it is. */
export type StackLocation = Pick<Stack, 'partition' | 'account'>

/** The bucket, by its name. */
export function bucketArnOf(stack: StackLocation, settings: Settings): string {
  const name = bucketNameOf(settings.installation, stack.account, settings.region)
  return `arn:${stack.partition}:s3:::${name}`
}

/** By its name: functions that know of each other could not be made one after the other. */
export function functionArnOf(stack: Stack, settings: Settings, name: FunctionName): string {
  return stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${settings.installation}-${name}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

/** Patterns of the roles that deployments may take on. */
export function deploymentRolesOf(
  stack: Pick<StackLocation, 'partition'>,
  settings: Settings,
): readonly string[] {
  return settings.deploymentRoles.length > 0
    ? settings.deploymentRoles
    : [`arn:${stack.partition}:iam::*:role/${settings.installation}-deploy-*`]
}
