import {
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  type GetScheduleCommandOutput,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler'
import { setTimeout as sleep } from 'node:timers/promises'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { callWithRetries, fitsAsynchronousCall } from './asynchronous-call.ts'
import type { InvocationOutcome } from './environment.ts'
import { type SchedulerTimes, findNextTime } from './scheduler-times.ts'

/** The options of the scheduler: the client of the emulator, the schedule group, the callbacks. */
export interface LocalSchedulerOptions {
  readonly client: SchedulerClient
  readonly group: string
  /** Calls the function of an ARN. */
  readonly invoke: (arn: string, event: unknown) => Promise<InvocationOutcome>
  /** Receives errors, for users. */
  readonly onFailure: (reason: string) => void
  /** Draws the position of a call in its window, from 0 to 1. */
  readonly draw?: () => number
}

/** An enabled schedule, with its settings and the time of its next call. */
interface WatchedSchedule {
  readonly times: SchedulerTimes
  readonly windowMs: number
  readonly arn: string
  readonly input: string
  readonly isRemovedAfterCall: boolean
  /** The time of the next call in ms since 1970; undefined when there is none. */
  nextMs: number | undefined
  /** `nextMs` plus a random part of the window. Not used while `nextMs` is undefined. */
  dueMs: number
}

/**
 * Emulates EventBridge Scheduler for one schedule group. Reads the schedules from the emulator,
 * which only stores them, and makes the due calls. Removes a one-time schedule after its call if
 * its settings require that. `end` stops the calls and resolves when none is in progress.
 */
export function startScheduler(options: LocalSchedulerOptions): {
  readonly end: () => Promise<void>
} {
  const shutdown = new AbortController()
  const watchedSchedules = new Map<string, WatchedSchedule>()
  const pendingCalls = new Set<Promise<void>>()
  const callDueSchedules = async (): Promise<void> => {
    const isEnabledByName = await listSchedules(options)
    for (const name of watchedSchedules.keys())
      if (!isEnabledByName.has(name)) watchedSchedules.delete(name)
    for (const [name, isEnabled] of isEnabledByName) {
      if (!isEnabled) watchedSchedules.delete(name)
      else if (!watchedSchedules.has(name)) await watchSchedule(options, watchedSchedules, name)
    }
    for (const [name, schedule] of watchedSchedules) {
      if (schedule.nextMs === undefined || schedule.dueMs > Date.now()) continue
      advanceSchedule(options, schedule, Date.now())
      const call = callTarget(options, name, schedule, shutdown.signal).finally(() =>
        pendingCalls.delete(call),
      )
      pendingCalls.add(call)
    }
  }
  const polling = (async () => {
    while (!shutdown.signal.aborted) {
      await callDueSchedules().catch((thrown: unknown) => {
        if (!shutdown.signal.aborted) options.onFailure(`schedules: ${messageOf(thrown)}`)
      })
      await pause(localCloudLimits.scheduleCheckMs, shutdown.signal)
    }
  })()
  return {
    end: async () => {
      shutdown.abort()
      await polling
      await Promise.all(pendingCalls)
    },
  }
}

/** Returns the schedules of the group, and whether each one is enabled. */
async function listSchedules(
  options: LocalSchedulerOptions,
): Promise<ReadonlyMap<string, boolean>> {
  const isEnabledByName = new Map<string, boolean>()
  let token: string | undefined
  do {
    const command = new ListSchedulesCommand({ GroupName: options.group, NextToken: token })
    const { Schedules = [], NextToken } = await options.client.send(command)
    for (const { Name = '', State } of Schedules) isEnabledByName.set(Name, State !== 'DISABLED')
    token = NextToken
  } while (token !== undefined)
  return isEnabledByName
}

async function watchSchedule(
  options: LocalSchedulerOptions,
  watchedSchedules: Map<string, WatchedSchedule>,
  name: string,
): Promise<void> {
  const output = await options.client.send(
    new GetScheduleCommand({ Name: name, GroupName: options.group }),
  )
  const schedule = toWatchedSchedule(output)
  advanceSchedule(options, schedule, schedule.times.createdAt)
  watchedSchedules.set(name, schedule)
}

function toWatchedSchedule(output: GetScheduleCommandOutput): WatchedSchedule {
  const { ScheduleExpression = '', ScheduleExpressionTimezone: zone = 'UTC', StartDate } = output
  const { Target, FlexibleTimeWindow, CreationDate, ActionAfterCompletion } = output
  const startAt = StartDate?.getTime()
  const createdAt = CreationDate?.getTime() ?? Date.now()
  return {
    times: {
      expression: ScheduleExpression,
      zone,
      createdAt,
      ...(startAt === undefined ? {} : { startAt }),
    },
    windowMs: (FlexibleTimeWindow?.MaximumWindowInMinutes ?? 0) * 60_000,
    arn: Target?.Arn ?? '',
    input: Target?.Input ?? '{}',
    isRemovedAfterCall: ScheduleExpression.startsWith('at(') && ActionAfterCompletion === 'DELETE',
    nextMs: undefined,
    dueMs: 0,
  }
}

/** Moves a schedule to its first time after `afterMs`. Several missed times cause only one call. */
function advanceSchedule(
  { draw = Math.random }: LocalSchedulerOptions,
  schedule: WatchedSchedule,
  afterMs: number,
): void {
  schedule.nextMs = findNextTime(schedule.times, afterMs)
  schedule.dueMs = (schedule.nextMs ?? 0) + Math.floor(draw() * schedule.windowMs)
}

/** Calls the function of a schedule. Then removes the schedule if its settings require that. */
async function callTarget(
  { client, group, invoke, onFailure }: LocalSchedulerOptions,
  name: string,
  { arn, input, isRemovedAfterCall }: WatchedSchedule,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (fitsAsynchronousCall(input))
      await callWithRetries(() => invoke(arn, JSON.parse(input)), {
        onFailure: reason => onFailure(`schedule ${name}: ${reason}`),
        signal,
      })
    else onFailure(`schedule ${name}: its event is too large for an asynchronous call`)
    if (isRemovedAfterCall)
      await client.send(new DeleteScheduleCommand({ Name: name, GroupName: group }))
  } catch (thrown) {
    if (!signal.aborted) onFailure(`schedule ${name}: ${messageOf(thrown)}`)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
