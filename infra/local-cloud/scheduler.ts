import {
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  type GetScheduleCommandOutput,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler'
import { setTimeout as sleep } from 'node:timers/promises'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { InvocationOutcome } from './environment.ts'
import { type SchedulerTimes, nextTimeAfter } from './scheduler-times.ts'

/** The options of the scheduler: the source of its schedules, and the calls. */
export interface LocalSchedulerOptions {
  readonly client: SchedulerClient
  readonly group: string
  /** Calls the function of an ARN. */
  readonly invoke: (arn: string, event: unknown) => Promise<InvocationOutcome>
  /** Receives errors, for users. */
  readonly onFailure: (why: string) => void
  /** Draws the position of a call in its window, from 0 to 1. */
  readonly draw?: () => number
}

/** A watched schedule. */
interface WatchedSchedule {
  readonly times: SchedulerTimes
  readonly windowMs: number
  readonly arn: string
  readonly input: string
  readonly isOnce: boolean
  /** The time of its next call; undefined when there is none. */
  next: number | undefined
  /** The same time, moved within the window. */
  due: number
}

/**
 * Emulates EventBridge Scheduler for one group. It reads the schedules from the emulator, which
 * only stores them, and makes the due calls. A completed schedule is removed if its settings say
 * so. `end` stops it and resolves when no call is in progress.
 */
export function startScheduler(options: LocalSchedulerOptions): {
  readonly end: () => Promise<void>
} {
  const over = new AbortController()
  const watched = new Map<string, WatchedSchedule>()
  const open = new Set<Promise<void>>()
  const runDue = async (): Promise<void> => {
    const listed = await listSchedules(options)
    for (const name of watched.keys()) if (!listed.has(name)) watched.delete(name)
    for (const [name, isEnabled] of listed) {
      if (!isEnabled) watched.delete(name)
      else if (!watched.has(name)) await watchSchedule(options, watched, name)
    }
    for (const [name, one] of watched) {
      if (one.next === undefined || one.due > Date.now()) continue
      advanceSchedule(options, one, Date.now())
      const call = callTarget(options, name, one, over.signal).finally(() => open.delete(call))
      open.add(call)
    }
  }
  const looking = (async () => {
    while (!over.signal.aborted) {
      await runDue().catch((thrown: unknown) => {
        if (!over.signal.aborted) options.onFailure(`schedules: ${messageOf(thrown)}`)
      })
      await pause(cloudLimits.scheduleLookMs, over.signal)
    }
  })()
  return {
    end: async () => {
      over.abort()
      await looking
      await Promise.all(open)
    },
  }
}

/** Returns the schedules of the group, and whether each one is enabled. */
async function listSchedules(
  options: LocalSchedulerOptions,
): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>()
  let token: string | undefined
  do {
    const command = new ListSchedulesCommand({ GroupName: options.group, NextToken: token })
    const { Schedules = [], NextToken } = await options.client.send(command)
    for (const { Name = '', State } of Schedules) found.set(Name, State !== 'DISABLED')
    token = NextToken
  } while (token !== undefined)
  return found
}

async function watchSchedule(
  options: LocalSchedulerOptions,
  watched: Map<string, WatchedSchedule>,
  name: string,
): Promise<void> {
  const found = await options.client.send(
    new GetScheduleCommand({ Name: name, GroupName: options.group }),
  )
  const one = toWatchedSchedule(found)
  advanceSchedule(options, one, one.times.createdAt)
  watched.set(name, one)
}

function toWatchedSchedule(found: GetScheduleCommandOutput): WatchedSchedule {
  const { ScheduleExpression = '', ScheduleExpressionTimezone: zone = 'UTC', StartDate } = found
  const { Target, FlexibleTimeWindow, CreationDate, ActionAfterCompletion } = found
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
    isOnce: ScheduleExpression.startsWith('at(') && ActionAfterCompletion === 'DELETE',
    next: undefined,
    due: 0,
  }
}

/**
 * Moves a schedule to its first time after `after`. Several missed times are made up for by one
 * call.
 */
function advanceSchedule(
  { draw = Math.random }: LocalSchedulerOptions,
  one: WatchedSchedule,
  after: number,
): void {
  one.next = nextTimeAfter(one.times, after)
  one.due = (one.next ?? 0) + Math.floor(draw() * one.windowMs)
}

/** Makes a call, and retries it when the function failed, as Lambda does for asynchronous calls. */
async function callTarget(
  { client, group, invoke, onFailure }: LocalSchedulerOptions,
  name: string,
  { arn, input, isOnce }: WatchedSchedule,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let tried = 0; ; tried += 1) {
      const outcome = await invoke(arn, JSON.parse(input))
      if (outcome.kind === 'answered' || signal.aborted) break
      onFailure(`schedule ${name}: ${outcome.why}`)
      if (tried === cloudLimits.callRetriesMax) break
      await pause(cloudLimits.callRetryMs, signal)
    }
    if (isOnce) await client.send(new DeleteScheduleCommand({ Name: name, GroupName: group }))
  } catch (thrown) {
    if (!signal.aborted) onFailure(`schedule ${name}: ${messageOf(thrown)}`)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
