import { deadLetterAlarmOf, singleAlarmName } from '../../shared/config/aws-resource-names.ts'
import { createError, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import type { AlarmPort } from '../platform/platform-port.ts'
import type { CliSession } from '../session/session.ts'
import type { CheckOutcome } from './check-report.ts'
import { throwIfInterrupted } from './run-remotely.ts'

/** The reason of both changes of the alarm. The notification of the alarm contains it. */
const reason = 'antichain platform verify'
/** Longest time until CloudWatch records the action of a raised alarm. */
const actionLimitMs = 60_000
const pollMs = 2_000
/** The errors that prevent the check, although the installation has no defect. */
const skipCodes = [
  'PLATFORM_CREDENTIALS_MISSING',
  'PLATFORM_PERMISSION_MISSING',
  'PLATFORM_REGION_MISSING',
] as const

/**
 * Checks the alarm for dead letters of the chain queue, with the AWS credentials of the caller. For
 * an installation with `alarms=one`, its only alarm is checked. Without credentials, permission or
 * region the check is skipped. Throws PLATFORM_NOT_FOUND, PLATFORM_FAILED, DEPLOYMENT_CANCELLED.
 */
export async function checkAlarmIfPermitted(
  session: CliSession,
  flags: Flags,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  try {
    const target = readInstallationTarget(session, flags)
    const tools = await session.tools.loadPlatform(session.io.stderr)
    await tools.readAccount(target)
    const createName = (name: string): string => `${target.installation}-${name}`
    const queueAlarmName = createName(deadLetterAlarmOf('chains'))
    const hasQueueAlarm = await tools.useAlarm(
      target,
      queueAlarmName,
      async alarm => (await alarm.read()) !== undefined,
    )
    const name = hasQueueAlarm ? queueAlarmName : createName(singleAlarmName)
    const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
    return await tools.useAlarm(target, name, alarm => checkAlarm({ alarm, name, signal, sleep }))
  } catch (thrown) {
    if (!skipCodes.some(code => hasCode(thrown, code))) throw thrown
    return { result: 'skipped', message: `Not checked: ${messageOf(thrown)}.` }
  }
}

/** The alarm to check, and its name. `sleep` pauses between two reads of its actions. */
export interface AlarmCheckDeps {
  readonly alarm: AlarmPort
  readonly name: string
  readonly signal: AbortSignal
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Raises the alarm, waits until it has notified its topic, and resets it. If the alarm is already
 * raised, the check is skipped. Throws PLATFORM_NOT_FOUND, PLATFORM_FAILED, DEPLOYMENT_CANCELLED.
 */
export async function checkAlarm(deps: AlarmCheckDeps): Promise<CheckOutcome> {
  const { alarm, name } = deps
  const state = await alarm.read()
  if (state === undefined)
    throw createError('PLATFORM_NOT_FOUND', `the alarm ${name} does not exist`)
  if (state.isRaised)
    return { result: 'skipped', message: `Not checked: the alarm ${name} is raised already.` }
  await alarm.setState('ALARM', reason)
  try {
    const summary = await awaitAction(deps)
    if (summary?.startsWith('Successfully') === true)
      return { result: 'passed', message: `The alarm ${name} was raised: ${summary}.` }
    const problem = summary ?? 'CloudWatch recorded no action'
    throw createError('PLATFORM_FAILED', `the alarm ${name} did not notify its topic: ${problem}`, {
      hint: 'Check the topic of the alarms and its policy, and deploy the installation again.',
    })
  } finally {
    await alarm.setState('OK', reason)
  }
}

/** Waits for the action of the last change. Returns its summary, or undefined after the limit. */
async function awaitAction({ alarm, signal, sleep }: AlarmCheckDeps): Promise<string | undefined> {
  // CloudWatch's time of the last change is used, because the clock of this machine may differ.
  const since = (await alarm.read())?.changedAt ?? new Date()
  for (let waitedMs = 0; waitedMs <= actionLimitMs; waitedMs += pollMs) {
    throwIfInterrupted(signal)
    const [summary] = await alarm.listActions(since)
    if (summary !== undefined) return summary
    await sleep(pollMs)
  }
  return undefined
}
