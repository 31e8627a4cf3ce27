import { expect, test } from 'vitest'
import { stackIdOf } from '../../shared/records/ids.ts'
import type { Local } from '../local-port.ts'
import type { Session } from '../session.ts'
import { resume } from './resume.ts'

/** Resumes under a login, where the stack's deployment stands so. */
async function resumed(standing: Awaited<ReturnType<Local['standing']>>) {
  const asked: unknown[] = []
  const told: string[] = []
  const local = {
    remote: {},
    standing: async () => standing,
    api: async (one: unknown) => void asked.push(one),
  }
  const session = {
    local: async () => local,
    existingStack: async () => stackIdOf('shop', 'dev'),
    warn: (line: string) => void told.push(line),
  } as unknown as Session
  const exit = await resume(session, {} as never, [])
  return { exit, asked, told }
}

test('under a login whoever serves is told to look at the open deployment', async () => {
  const path = '/v1/stacks/shop/dev/deployments/7/resume'
  expect(await resumed({ kind: 'running', number: 7 })).toEqual({
    exit: 0,
    asked: [{ method: 'POST', path }],
    told: ["Deployment 7 of 'dev' is looked at: whoever serves goes on with it."],
  })
})

test('where none is open that is said, and nobody is asked', async () => {
  await expect(resumed({ kind: 'none' })).rejects.toMatchObject({ code: 'NOTHING_TO_RESUME' })
})
