import { type Stack, Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import {
  bucketNameOf,
  bucketPrefixes,
  deadLetterQueueOf,
  groupInstallationOf,
  installationNamesOf,
} from '../shared/config/aws-resource-names.ts'
import { functionsTable, groupRows } from './functions-table.ts'
import type { Installation } from './installation.ts'
import {
  type BucketPrefixName,
  type FunctionRow,
  type Grants,
  usedTablesOf,
} from './function-row.ts'
import {
  deploymentRolesOf,
  groupScopeOf,
  groupSettingsOf,
  logicalNameOf,
  type StackLocation,
} from './names.ts'
import type { Settings } from './settings.ts'

/** An exception from a rule below a path, with its reason. */
export interface NagException {
  readonly stack: 'data' | 'main'
  /** The path below the stack. */
  readonly path: string
  readonly rule: string
  readonly reason: string
}

/** Exceptions for the parts of each group of stacks. They do not depend on the settings. */
const groupExceptions: readonly NagException[] = [
  {
    stack: 'data',
    path: 'Data/Bucket',
    rule: 'AwsSolutions-S1',
    reason:
      'Server access logs are late and incomplete, and need another bucket. Only the roles of ' +
      'this installation have access to the bucket. An operator who needs a record of each ' +
      'read can enable data events of CloudTrail.',
  },
  {
    stack: 'main',
    path: 'LongPool/Cluster',
    rule: 'AwsSolutions-ECS4',
    reason:
      'Container insights are billed per metric. When a task dies, its lease expires, and another ' +
      'process continues its deployment. An alarm reports stuck deployments.',
  },
]

const webhookException: NagException = {
  stack: 'main',
  path: 'Api/Webhooks',
  rule: 'AwsSolutions-APIG4',
  reason:
    'Senders of webhooks have no AWS identity. Each delivery is signed, and the ' +
    'function checks the signature and the age of the delivery before anything else.',
}

const ownNetworkException: NagException = {
  stack: 'main',
  path: 'LongPool/Vpc',
  rule: 'AwsSolutions-VPC7',
  reason:
    'Tasks accept no connections, and they run programs of users: the roles of stacks limit ' +
    'their access. Flow logs are billed by the gigabyte and would have no readers. An ' +
    'account that requires them can enable them for its networks.',
}

/** Returns every exception from rules of cdk-nag. Each one is as narrow as its rule allows. */
export function nagExceptionsOf(stack: StackLocation, settings: Settings): readonly NagException[] {
  return [
    webhookException,
    ...networkExceptionsOf(settings),
    ...listGroupExceptions(stack, settings, functionsTable),
    ...['Functions/ApiRole', 'Functions/ServiceRole', 'Functions/ScheduleRole'].map(path => ({
      stack: 'main' as const,
      path,
      rule: scheduleRuleIdOf(stack, settings),
      reason:
        'Users create schedules, so their names are not known here. All of them are in the group of this installation.',
    })),
    ...settings.groups.flatMap(({ name }) =>
      [
        ...functionNetworkExceptionsOf(settings, groupRows),
        ...listGroupExceptions(stack, groupSettingsOf(settings, name), groupRows),
      ].map(exception => ({ ...exception, path: `${groupScopeOf(name)}/${exception.path}` })),
    ),
    ...(settings.groups.length === 0 ? [] : otherGroupExceptionsOf(stack, settings)),
  ]
}

/** Returns the exceptions for the parts of one group, with paths below its scope. */
function listGroupExceptions(
  stack: StackLocation,
  settings: Settings,
  rows: readonly FunctionRow[],
): readonly NagException[] {
  const longPoolRows = rows.filter(({ longQueue }) => longQueue !== undefined)
  return [
    ...groupExceptions,
    ...bucketExceptionsOf(stack, settings, rows),
    ...deploymentRoleExceptionsOf(stack, settings, rows),
    ...longPoolRows.flatMap(({ name }) =>
      longPoolExceptionsOf(stack, settings, `Long${logicalNameOf(name)}`),
    ),
  ]
}

/** Returns the exceptions for patterns that match resources of all groups but the default one. */
function otherGroupExceptionsOf(
  { partition }: StackLocation,
  settings: Settings,
): readonly NagException[] {
  const { installation, region } = settings
  const location = `${region}:<AWS::AccountId>`
  const names = installationNamesOf(groupInstallationOf(installation, '*'))
  const bucket = `arn:${partition}:s3:::${bucketNameOf(installation, '<AWS::AccountId>', region)}-*`
  const tableArnOf = (name: string): string => `arn:${partition}:dynamodb:${location}:table/${name}`
  const queueArnOf = (name: string): string => `arn:${partition}:sqs:${location}:${name}`
  const functionArnOf = (name: string): string =>
    `arn:${partition}:lambda:${location}:function:${name}`
  return functionsTable
    .filter(({ isPerGroup }) => isPerGroup !== true)
    .flatMap(({ name, grants, consumes }) => {
      const queues = new Set([
        ...(grants.sends ?? []),
        ...(grants.redrives ?? []),
        ...(consumes === undefined ? [] : [consumes.queue]),
      ])
      const patterns = [
        ...usedTablesOf(grants).map(table => tableArnOf(names[table])),
        ...[...queues].map(queue => queueArnOf(names.queues[queue])),
        ...(grants.redrives ?? []).map(queue => queueArnOf(deadLetterQueueOf(names.queues[queue]))),
        ...prefixNamesOf(grants).map(prefixName => `${bucket}/${bucketPrefixes[prefixName]}*`),
        ...((grants.reads ?? grants.sweeps) === undefined ? [] : [bucket]),
        ...(grants.calls ?? [])
          .filter(callee => groupRows.some(row => row.name === callee))
          .map(callee => functionArnOf(`${groupInstallationOf(installation, '*')}-${callee}`)),
      ]
      return [...new Set(patterns)].map(pattern => ({
        stack: 'main' as const,
        path: `Functions/${logicalNameOf(name)}Role`,
        rule: `AwsSolutions-IAM5[Resource::${pattern}]`,
        reason:
          'The function serves all groups of stacks of this installation. Only names of its groups match the pattern.',
      }))
    })
}

/**
 * Returns the exceptions for the network that the installation creates, or for functions in the
 * network of the settings.
 */
function networkExceptionsOf({ vpc }: Settings): readonly NagException[] {
  return vpc === undefined
    ? [ownNetworkException]
    : functionNetworkExceptionsOf({ vpc }, functionsTable)
}

/** Returns the exceptions for functions in the network of the settings. */
function functionNetworkExceptionsOf(
  { vpc }: Pick<Settings, 'vpc'>,
  rows: readonly FunctionRow[],
): readonly NagException[] {
  if (vpc === undefined) return []
  const attachedRows = rows.filter(({ isOutsideVpc }) => isOutsideVpc !== true)
  return attachedRows.map(({ name }) => ({
    stack: 'main',
    path: `Functions/${logicalNameOf(name)}Role`,
    rule: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda attaches functions to a VPC with permissions on all network interfaces. A second ' +
      'statement denies them to the code of the function.',
  }))
}

/**
 * Returns the exceptions for bucket objects. Their names are hashes, so a role is limited by name
 * prefixes.
 */
function bucketExceptionsOf(
  stack: StackLocation,
  settings: Settings,
  rows: readonly FunctionRow[],
): readonly NagException[] {
  const bucket = bucketNameOf(settings.installation, '<AWS::AccountId>', settings.region)
  return rows.flatMap(({ name, grants, longQueue }) => {
    return prefixNamesOf(grants).flatMap(prefixName =>
      rolePathsOf(name, longQueue !== undefined).map(path => ({
        stack: 'main' as const,
        path,
        rule: `AwsSolutions-IAM5[Resource::arn:${stack.partition}:s3:::${bucket}/${bucketPrefixes[prefixName]}*]`,
        reason:
          'Objects are named by their content, so the names are not known in advance. The role is limited to names with this prefix.',
      })),
    )
  })
}

/** Returns the prefixes of objects that a function uses. */
const prefixNamesOf = (grants: Grants): readonly BucketPrefixName[] => [
  ...new Set([
    ...(grants.reads ?? []),
    ...(grants.puts ?? []),
    ...(grants.creates ?? []),
    ...(grants.sweeps ?? []),
  ]),
]

/**
 * Returns the exceptions for deployment roles. The owner of a stack chooses the name of its role,
 * so permissions name the roles by patterns.
 */
function deploymentRoleExceptionsOf(
  stack: StackLocation,
  settings: Settings,
  rows: readonly FunctionRow[],
): readonly NagException[] {
  const patterns = deploymentRolesOf(stack, settings).filter(role => role.includes('*'))
  return rows
    .filter(({ grants }) => grants.assumesDeploymentRoles === true)
    .flatMap(({ name, longQueue }) => rolePathsOf(name, longQueue !== undefined))
    .flatMap(path =>
      patterns.map(role => ({
        stack: 'main' as const,
        path,
        rule: `AwsSolutions-IAM5[Resource::${role}]`,
        reason:
          'Owners of stacks create the roles, so their names are known by a pattern only. The ' +
          'trust policy of each role defines the principals and the stack, and the external id ' +
          'must begin with the name of this installation.',
      })),
    )
}

function longPoolExceptionsOf(
  stack: StackLocation,
  settings: Settings,
  id: string,
): readonly NagException[] {
  return [
    {
      stack: 'main',
      path: `LongPool/${id}Role`,
      rule: `AwsSolutions-IAM5[Resource::arn:${stack.partition}:ecs:${settings.region}:<AWS::AccountId>:task/${settings.installation}/*]`,
      reason:
        'Tasks get their names when they start. The role is limited to the tasks of its own cluster.',
    },
    {
      stack: 'main',
      path: `LongPool/${id}StartRole`,
      rule: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'ecr:GetAuthorizationToken can be granted for all resources only. The permissions of the ' +
        'role limit its token to one repository.',
    },
    {
      stack: 'main',
      path: `LongPool/${id}Task`,
      rule: 'AwsSolutions-ECS2',
      reason: 'The variables are names of tables and queues. Secrets are sealed, in the catalog.',
    },
  ]
}

/**
 * Returns the rule id for a permission on all schedules in the schedule group of this installation.
 * The API, the service and the schedule function have such a permission.
 */
function scheduleRuleIdOf(stack: StackLocation, settings: Settings): string {
  const { scheduleGroup } = installationNamesOf(settings.installation)
  const scheduler = `arn:${stack.partition}:scheduler:${settings.region}:<AWS::AccountId>`
  return `AwsSolutions-IAM5[Resource::${scheduler}:schedule/${scheduleGroup}/*]`
}

const rolePathsOf = (name: string, hasLongPoolRole: boolean): readonly string[] => [
  `Functions/${logicalNameOf(name)}Role`,
  ...(hasLongPoolRole ? [`LongPool/Long${logicalNameOf(name)}Role`] : []),
]

/**
 * Registers the exceptions with the checks. Throws for a missing path, so that no obsolete
 * exception remains.
 */
export function acknowledgeNagExceptions(installation: Installation, settings: Settings): void {
  for (const { stack, path, rule, reason } of nagExceptionsOf(installation.main, settings))
    Validations.of(findConstruct(installation[stack], path)).acknowledge({ id: rule, reason })
}

function findConstruct(stack: Stack, path: string): IConstruct {
  return path.split('/').reduce<IConstruct>((construct, id) => construct.node.findChild(id), stack)
}
