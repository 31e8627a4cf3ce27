import { type Stack, Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import {
  bucketNameOf,
  bucketPrefixes,
  installationNamesOf,
} from '../shared/config/aws-resource-names.ts'
import { functionsTable } from './functions-table.ts'
import type { Installation } from './installation.ts'
import { deploymentRolesOf, logicalNameOf, type StackLocation } from './names.ts'
import type { Settings } from './settings.ts'

/** A rule that does not hold here, for what is below a path, and why. */
export interface NagException {
  readonly stack: 'data' | 'main'
  /** Below the stack. */
  readonly path: string
  readonly rule: string
  readonly why: string
}

/** Rules that are not followed, whatever the settings are. */
const always: readonly NagException[] = [
  {
    stack: 'data',
    path: 'Data/Bucket',
    rule: 'AwsSolutions-S1',
    why:
      'Server access logs arrive late and not always, and need a bucket more. Only the ' +
      'roles of this installation reach the bucket; who wants a record of each read ' +
      'turns on data events of CloudTrail.',
  },
  {
    stack: 'main',
    path: 'Api/Webhooks',
    rule: 'AwsSolutions-APIG4',
    why:
      'Senders of webhooks have no AWS identity. Each delivery is signed, and the ' +
      'function checks the signature and its age before anything else.',
  },
  {
    stack: 'main',
    path: 'LongPool/Vpc',
    rule: 'AwsSolutions-VPC7',
    why:
      "Nobody can connect to a task, and tasks run other people's programs: what they " +
      'reach is bounded by the roles of stacks. Flow logs would be paid for by the ' +
      'gigabyte and read by nobody; an account that asks for them turns them on for its ' +
      'networks.',
  },
  {
    stack: 'main',
    path: 'LongPool/Cluster',
    rule: 'AwsSolutions-ECS4',
    why:
      'Container insights are paid for by the metric. A task that dies is seen by its ' +
      'lease and its deployment goes on, which the alarm on stuck deployments watches.',
  },
]

/** Every rule of cdk-nag that is not followed. Each is as narrow as the rule allows. */
export function nagExceptionsOf(stack: StackLocation, settings: Settings): readonly NagException[] {
  const long = functionsTable.filter(({ longQueue }) => longQueue !== undefined)
  return [
    ...always,
    ...bucketWildcardsOf(stack, settings),
    ...deployWildcardsOf(stack, settings),
    ...['Functions/ApiRole', 'Functions/ScheduleRole'].map(path => ({
      stack: 'main' as const,
      path,
      rule: scheduleWildcardOf(stack, settings),
      why: 'People make schedules, so that their names are not known here; all of them are in the group of this installation.',
    })),
    ...long.flatMap(({ name }) => longWildcardsOf(stack, settings, `Long${logicalNameOf(name)}`)),
  ]
}

/** Objects are named by their content: a role is bounded by the first part of the name. */
function bucketWildcardsOf(stack: StackLocation, settings: Settings): readonly NagException[] {
  const bucket = bucketNameOf(settings.installation, '<AWS::AccountId>', settings.region)
  return functionsTable.flatMap(({ name, grants, longQueue }) => {
    const parts = new Set([
      ...(grants.reads ?? []),
      ...(grants.puts ?? []),
      ...(grants.creates ?? []),
      ...(grants.sweeps ?? []),
    ])
    return [...parts].flatMap(one =>
      rolePathsOf(name, longQueue !== undefined).map(path => ({
        stack: 'main' as const,
        path,
        rule: `AwsSolutions-IAM5[Resource::arn:${stack.partition}:s3:::${bucket}/${bucketPrefixes[one]}*]`,
        why: 'Objects are named by their content, so that the names are not known before; the role is bounded to those that begin so.',
      })),
    )
  })
}

/** Which role a deployment takes on is said by the owner of its stack. */
function deployWildcardsOf(stack: StackLocation, settings: Settings): readonly NagException[] {
  const patterns = deploymentRolesOf(stack, settings).filter(role => role.includes('*'))
  return functionsTable
    .filter(({ grants }) => grants.deploys === true)
    .flatMap(({ name, longQueue }) => rolePathsOf(name, longQueue !== undefined))
    .flatMap(path =>
      patterns.map(role => ({
        stack: 'main' as const,
        path,
        rule: `AwsSolutions-IAM5[Resource::${role}]`,
        why:
          'Owners of stacks make the roles, so that their names are known by a pattern ' +
          'only. Each role names who may take it on and for which stack, and the ' +
          'external id must begin with the name of this installation.',
      })),
    )
}

function longWildcardsOf(
  stack: StackLocation,
  settings: Settings,
  id: string,
): readonly NagException[] {
  return [
    {
      stack: 'main',
      path: `LongPool/${id}Role`,
      rule: `AwsSolutions-IAM5[Resource::arn:${stack.partition}:ecs:${settings.region}:<AWS::AccountId>:task/${settings.installation}/*]`,
      why: 'Tasks get their names when they start; the role is bounded to those of its own cluster.',
    },
    {
      stack: 'main',
      path: `LongPool/${id}StartRole`,
      rule: 'AwsSolutions-IAM5[Resource::*]',
      why:
        'ecr:GetAuthorizationToken can be granted for all resources only; what it gives ' +
        'opens nothing but the one repository that the role names beside it.',
    },
    {
      stack: 'main',
      path: `LongPool/${id}Task`,
      rule: 'AwsSolutions-ECS2',
      why: 'The variables are names of tables and queues. No secret is among them: those are in the catalog, sealed.',
    },
  ]
}

/** The right of the API and schedules on all calls in the group of this installation. */
function scheduleWildcardOf(stack: StackLocation, settings: Settings): string {
  const { scheduleGroup } = installationNamesOf(settings.installation)
  const scheduler = `arn:${stack.partition}:scheduler:${settings.region}:<AWS::AccountId>`
  return `AwsSolutions-IAM5[Resource::${scheduler}:schedule/${scheduleGroup}/*]`
}

const rolePathsOf = (name: string, isLong: boolean): readonly string[] => [
  `Functions/${logicalNameOf(name)}Role`,
  ...(isLong ? [`LongPool/Long${logicalNameOf(name)}Role`] : []),
]

/** Tells the checks of the exceptions. Throws for a path that is not there: none is left over. */
export function acknowledge(installation: Installation, settings: Settings): void {
  for (const { stack, path, rule, why } of nagExceptionsOf(installation.main, settings))
    Validations.of(findConstruct(installation[stack], path)).acknowledge({ id: rule, reason: why })
}

function findConstruct(stack: Stack, path: string): IConstruct {
  return path.split('/').reduce<IConstruct>((at, step) => at.node.findChild(step), stack)
}
