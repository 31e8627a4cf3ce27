import { expect, test } from 'vitest'
import { createError } from '../../shared/errors/error.ts'
import type { AlarmPort } from '../platform/platform-port.ts'
import { checkAlarm, checkAlarmIfPermitted } from './alarm-check.ts'

const notifiedSummary = 'Successfully executed action arn:aws:sns:eu-central-1:1:site-alarms'

/** Creates an alarm whose action is recorded at the third reading, with this summary. */
function createAlarm(options: { readonly summary?: string; readonly isRaised?: boolean } = {}) {
  const states: string[] = []
  let readingCount = 0
  let changedAt = new Date(1_000)
  const alarm: AlarmPort = {
    read: async () => ({ isRaised: options.isRaised === true, changedAt }),
    setState: async state => {
      states.push(state)
      changedAt = new Date(5_000)
    },
    listActions: async since => {
      readingCount += 1
      expect(since).toEqual(new Date(5_000))
      return options.summary === undefined || readingCount < 3 ? [] : [options.summary]
    },
  }
  const deps = {
    alarm,
    name: 'site-dead-chains',
    sleep: async () => undefined,
    signal: new AbortController().signal,
  }
  return { deps, states }
}

test('the check of an alarm that notifies its topic passes, and resets the alarm', async () => {
  const { deps, states } = createAlarm({ summary: notifiedSummary })
  expect(await checkAlarm(deps)).toEqual({
    result: 'passed',
    message: `The alarm site-dead-chains was raised: ${notifiedSummary}.`,
  })
  expect(states).toEqual(['ALARM', 'OK'])
})

test.each([
  ['Failed to execute action arn:aws:sns:eu-central-1:1:site-alarms', 'Failed to execute action'],
  [undefined, 'CloudWatch recorded no action'],
])(
  'the check of an alarm without a notification fails, and resets the alarm; recorded action: %s',
  async (summary, message) => {
    const { deps, states } = createAlarm(summary === undefined ? {} : { summary })
    await expect(checkAlarm(deps)).rejects.toMatchObject({
      code: 'PLATFORM_FAILED',
      message: expect.stringContaining(message),
    })
    expect(states).toEqual(['ALARM', 'OK'])
  },
)

test('an alarm that is raised already is left unchanged', async () => {
  const { deps, states } = createAlarm({ isRaised: true })
  expect(await checkAlarm(deps)).toMatchObject({ result: 'skipped' })
  expect(states).toEqual([])
})

test('an interruption resets the alarm', async () => {
  const { deps, states } = createAlarm()
  const check = checkAlarm({ ...deps, signal: AbortSignal.abort() })
  await expect(check).rejects.toMatchObject({ code: 'DEPLOYMENT_CANCELLED' })
  expect(states).toEqual(['ALARM', 'OK'])
})

test('a missing alarm fails the check', async () => {
  const { deps } = createAlarm()
  const alarm = { ...deps.alarm, read: async () => undefined }
  await expect(checkAlarm({ ...deps, alarm })).rejects.toMatchObject({ code: 'PLATFORM_NOT_FOUND' })
})

test.each([
  ['PLATFORM_CREDENTIALS_MISSING', { AWS_REGION: 'eu-central-1' }],
  ['PLATFORM_PERMISSION_MISSING', { AWS_REGION: 'eu-central-1' }],
  ['PLATFORM_REGION_MISSING', {}],
] as const)('the check is skipped after %s', async (code, env) => {
  const readAccount = async (): Promise<never> => {
    throw createError(code, 'denied')
  }
  const session = { io: { env }, tools: { loadPlatform: async () => ({ readAccount }) } }
  const flags = { text: () => undefined }
  const outcome = await checkAlarmIfPermitted(
    session as never,
    flags as never,
    new AbortController().signal,
  )
  expect(outcome).toMatchObject({ result: 'skipped' })
})
