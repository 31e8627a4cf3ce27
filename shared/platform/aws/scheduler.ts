import {
  ActionAfterCompletion,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  FlexibleTimeWindowMode,
  SchedulerClient,
} from '@aws-sdk/client-scheduler'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { ScheduledCalls, SchedulerPort } from '../../ports/scheduler.ts'
import { type AwsSettings, createClientConfig } from './clients.ts'
import { createAwsError, errorNameOf } from './aws-error.ts'

/** The schedule group, and the target of its calls. */
export interface SchedulerSettings {
  readonly group: string
  /** ARN of the role that Scheduler assumes for calls. */
  readonly role: string
  /** ARN of the function that runs schedules. */
  readonly target: string
  /** The group of stacks, which the called function gets. Absent: the default one. */
  readonly stackGroup?: string
}

/** Creates a client of EventBridge Scheduler. */
export function createSchedulerClient(settings: AwsSettings): SchedulerClient {
  return new SchedulerClient(createClientConfig(settings, 'SCHEDULER'))
}

/**
 * Creates the port over EventBridge Scheduler. The port creates each schedule once, and never
 * changes an existing schedule.
 */
export function createScheduler(
  client: SchedulerClient,
  settings: SchedulerSettings,
): SchedulerPort {
  return {
    place: async calls => {
      try {
        await client.send(new CreateScheduleCommand(toCreateScheduleInput(calls, settings)))
      } catch (thrown) {
        // The name is unique to this schedule, so an existing one means that this request is a
        // repetition.
        if (errorNameOf(thrown) === 'ConflictException') return
        if (errorNameOf(thrown) === 'ValidationException')
          throw createError(
            'SCHEDULE_INVALID',
            `EventBridge Scheduler refused the schedule: ${messageOf(thrown)}`,
            {
              cause: thrown,
            },
          )
        throw createAwsError('scheduler: place', thrown)
      }
    },
    ...createSchedulerRemoval(client, settings.group),
  }
}

/** Creates the removal of schedules, for functions that only remove schedules. */
export function createSchedulerRemoval(
  client: SchedulerClient,
  group: string,
): Pick<SchedulerPort, 'remove'> {
  return {
    remove: async name => {
      try {
        await client.send(new DeleteScheduleCommand({ Name: name, GroupName: group }))
      } catch (thrown) {
        if (errorNameOf(thrown) !== 'ResourceNotFoundException')
          throw createAwsError('scheduler: remove', thrown)
      }
    },
  }
}

function toCreateScheduleInput(
  { name, key, times, placedAt }: ScheduledCalls,
  { group, role, target, stackGroup }: SchedulerSettings,
): CreateScheduleCommandInput {
  const { expression, zone, startAt, windowMinutes } = times
  const { kind, scope, name: documentName } = key
  return {
    Name: name,
    GroupName: group,
    Description: `${documentName} of ${scope}`.slice(0, descriptionCharsMax),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: zone,
    ...(startAt === undefined ? {} : { StartDate: new Date(startAt) }),
    FlexibleTimeWindow:
      windowMinutes === undefined
        ? { Mode: FlexibleTimeWindowMode.OFF }
        : { Mode: FlexibleTimeWindowMode.FLEXIBLE, MaximumWindowInMinutes: windowMinutes },
    // Only a one-time schedule ever completes, so no other schedule is deleted.
    ActionAfterCompletion: ActionAfterCompletion.DELETE,
    ClientToken: name,
    Target: {
      Arn: target,
      RoleArn: role,
      Input: JSON.stringify({
        kind,
        scope,
        name: documentName,
        placed: name,
        placedAt,
        ...(stackGroup === undefined ? {} : { group: stackGroup }),
      }),
      RetryPolicy: {
        MaximumRetryAttempts: triggerLimits.schedulerRetriesMax,
        MaximumEventAgeInSeconds: triggerLimits.schedulerRetryMs / 1_000,
      },
    },
  }
}

/** Maximum length of a description, in characters: the limit of EventBridge Scheduler. */
const descriptionCharsMax = 512
