import { Stack, Tags } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { awsTags, installationNamesOf, roleNameOf } from '../../shared/config/aws-resource-names.ts'
import { hourlyEvents } from '../hourly-events.ts'
import type { Settings } from '../settings.ts'
import type { Addresses } from './endpoints.ts'
import type { DeployedFunction } from './functions.ts'
import { createTaggedScope } from './create-tagged-scope.ts'

/** The input for creating schedules. */
export interface SchedulesInput {
  readonly settings: Settings
  readonly addresses: Addresses
  readonly api: DeployedFunction
  /** The function that serves Pulumi's own command line. */
  readonly service: DeployedFunction
  readonly schedule: DeployedFunction
  /** The functions of each group that are called every hour, with the settings of the group. */
  readonly groups: readonly HourlyFunctions[]
}

/** The functions of a group of stacks that are called every hour. */
interface HourlyFunctions {
  readonly settings: Settings
  readonly compaction: DeployedFunction
  readonly scaler: DeployedFunction
}

/**
 * Returns the name of the role under which schedules call functions. The name is known in advance,
 * so that the API can name the role when it creates a schedule.
 */
export const scheduleRoleNameOf = (settings: Settings): string =>
  roleNameOf(settings.installation, 'schedules', settings.region)

/**
 * Creates a schedule group, the role under which its schedules call functions, and the schedules
 * that call compaction and the scaler every hour. Allows the functions `api` and `service` to
 * create and remove schedules, and the schedule function to remove them. The tags of the schedule
 * group contain the addresses and the groups of the installation. So a status command need not read
 * the CloudFormation stack.
 */
export function createSchedules(scope: Construct, input: SchedulesInput): void {
  const { settings, api, service, schedule, addresses, groups } = input
  const part = createTaggedScope(scope, 'Schedule')
  const scheduleGroup = new CfnScheduleGroup(part, 'Group', {
    name: installationNamesOf(settings.installation).scheduleGroup,
  })
  Tags.of(scheduleGroup).add(awsTags.apiUrl, addresses.apiUrl)
  Tags.of(scheduleGroup).add(awsTags.serviceUrl, addresses.serviceUrl)
  Tags.of(scheduleGroup).add(awsTags.webhookUrl, addresses.webhookUrl)
  if (settings.groups.length > 0)
    Tags.of(scheduleGroup).add(awsTags.groups, settings.groups.map(({ name }) => name).join(' '))
  const role = createCallerRole(part, settings, scheduleGroup)
  const targets = [schedule, ...groups.flatMap(({ compaction, scaler }) => [compaction, scaler])]
  for (const { function: target } of targets)
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [target.functionArn],
      }),
    )
  for (const group of groups)
    createHourlyCalls(part, { scheduleGroup, role, isDefault: group.settings === settings }, group)
  for (const deployedFunction of [api, service, schedule])
    grantScheduling(scope, settings, deployedFunction)
  for (const deployedFunction of [api, service]) grantPassRole(scope, settings, deployedFunction)
}

/** Creates the hourly calls of a group's compaction and scaler. */
function createHourlyCalls(
  part: Construct,
  options: {
    readonly scheduleGroup: CfnScheduleGroup
    readonly role: Role
    readonly isDefault: boolean
  },
  { settings, compaction, scaler }: HourlyFunctions,
): void {
  const { scheduleGroup, role, isDefault } = options
  const { installation } = settings
  const calls = [
    {
      id: 'Tidy',
      name: 'tidy',
      description: 'removes old records and finds stuck deployments',
      target: compaction,
      event: hourlyEvents.compaction,
    },
    {
      id: 'Scale',
      name: 'scale',
      description: 'starts tasks of the long pool for messages that wait',
      target: scaler,
      event: hourlyEvents.scaler,
    },
  ]
  for (const { id, name, description, target, event } of calls)
    new CfnSchedule(part, isDefault ? id : `${id}-${installation}`, {
      name: `${installation}-${name}`,
      groupName: scheduleGroup.ref,
      description: `${installation}: ${description}`,
      scheduleExpression: 'rate(1 hour)',
      flexibleTimeWindow: { mode: 'FLEXIBLE', maximumWindowInMinutes: 15 },
      target: {
        arn: target.function.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify(event),
        retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 3_600 },
      },
    })
}

/**
 * Creates the role of schedules. Only EventBridge Scheduler may assume the role, for this schedule
 * group of this account.
 */
function createCallerRole(
  part: Construct,
  settings: Settings,
  scheduleGroup: CfnScheduleGroup,
): Role {
  return new Role(part, 'Role', {
    roleName: scheduleRoleNameOf(settings),
    description: `${settings.installation}: due schedules`,
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: {
          'aws:SourceAccount': Stack.of(part).account,
          'aws:SourceArn': scheduleGroup.attrArn,
        },
      },
    }),
  })
}

/** Allows a function to create or delete schedules of the group, as its row grants. */
function grantScheduling(
  scope: Construct,
  settings: Settings,
  { row, role }: DeployedFunction,
): void {
  const verbs = row.grants.schedules === 'create' ? ['Create', 'Delete'] : ['Delete']
  const stack = Stack.of(scope)
  const groupSchedules = `${installationNamesOf(settings.installation).scheduleGroup}/*`
  role.addToPolicy(
    new PolicyStatement({
      actions: verbs.map(verb => `scheduler:${verb}Schedule`),
      resources: [
        stack.formatArn({
          service: 'scheduler',
          resource: 'schedule',
          resourceName: groupSchedules,
        }),
      ],
    }),
  )
}

/**
 * Allows a function to pass the role of schedules to EventBridge Scheduler, as creating a schedule
 * requires.
 */
function grantPassRole(scope: Construct, settings: Settings, { role }: DeployedFunction): void {
  const stack = Stack.of(scope)
  role.addToPolicy(
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [
        stack.formatArn({
          service: 'iam',
          region: '',
          resource: 'role',
          resourceName: scheduleRoleNameOf(settings),
        }),
      ],
      conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    }),
  )
}
