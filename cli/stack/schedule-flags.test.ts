import { expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { readScheduleRequest } from './schedule-flags.ts'

const session = { mayPrompt: false } as unknown as CliSession

function flagsWith(values: Readonly<Record<string, string>>): Flags {
  const texts = new Map(Object.entries(values))
  return { isSet: () => false, text: name => texts.get(name), list: () => [] }
}

// In an object literal, a lookup of `constructor` finds a property of every object.
test.each(['constructor', '__proto__', 'weekly', ''])(
  'the kind %j of a schedule is refused',
  async kind => {
    const flags = flagsWith({ kind, cron: '0 4 * * *' })
    await expect(readScheduleRequest(session, flags)).rejects.toMatchObject({ code: 'CLI_USAGE' })
  },
)

test('the kind of a schedule is accepted in upper case', async () => {
  const schedule = await readScheduleRequest(
    session,
    flagsWith({ kind: 'TTL', once: '2030-01-31T00:00:00Z' }),
  )
  expect(schedule).toMatchObject({ operation: { kind: 'destroy' } })
})
