import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiLimits } from '../../shared/config/api-limits.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { openTestApi, type TestApi } from './api.fixture.ts'
import { rotateToken } from './rotate-token.ts'
import { tokenKeyOf } from '../../shared/api/token-document.ts'
import { authenticate } from '../../shared/api/authenticate.ts'
import { createToken, type IssuedToken, type TokenDays } from '../../shared/api/issue-token.ts'

let api: TestApi
let now = 1_800_000_000_000
beforeAll(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

const dayMs = 86_400_000
const deps = () => ({ ...api.platform, clock: { now: () => now as EpochMs } })
const create = (days?: TokenDays) =>
  createToken(deps(), { name: 'ci', role: 'deploy', stacks: ['shop/*'], ...(days ? { days } : {}) })
const expired = { code: 'API_TOKEN_EXPIRED' }
const refused = { code: 'API_TOKEN_REFUSED' }

test('a token expires after 90 days unless its creator sets another time or never', async () => {
  const [standard, short, endless] = [await create(), await create(2), await create('never')]
  expect(standard.expiresAt).toBe(now + 90 * dayMs)
  expect(short.expiresAt).toBe(now + 2 * dayMs)
  expect(endless).not.toHaveProperty('expiresAt')
  now += 2 * dayMs - 1
  await authenticate(deps(), short.token)
  now += 1
  await expect(authenticate(deps(), short.token)).rejects.toMatchObject({
    ...expired,
    message: `the token 'ci' expired at ${new Date(now).toISOString()}`,
  })
  now += 88 * dayMs
  await expect(authenticate(deps(), standard.token)).rejects.toMatchObject(expired)
  await authenticate(deps(), endless.token)
})

test('a token that was stored without an expiry stays valid', async () => {
  const { id, token } = await create('never')
  const stored = await api.platform.documents.get(tokenKeyOf(id))
  expect(Object.keys(stored?.value as object).toSorted()).toEqual(
    ['createdAt', 'hash', 'name', 'role', 'stacks'].toSorted(),
  )
  now += 10_000 * dayMs
  expect(await authenticate(deps(), token)).toMatchObject({ id, role: 'deploy' })
})

test('a wrong secret of an expired token is refused like that of an unknown token', async () => {
  const { token } = await create(1)
  now += dayMs
  // The first 21 characters have the id of the token, and the other 43 its secret.
  await expect(
    authenticate(deps(), `${token.slice(0, 21)}${'A'.repeat(43)}`),
  ).rejects.toMatchObject(refused)
})

test('a rotated token has a new secret, the same permissions, and its whole lifetime again', async () => {
  const first = await create(10)
  now += 9 * dayMs
  const second = await rotateToken(deps(), first.id, 600)
  expect(second).toEqual({
    ...first,
    rotatedAt: now,
    expiresAt: now + 10 * dayMs,
    token: expect.stringMatching(/^act_/),
  })
  expect(second.token).not.toBe(first.token)
  const caller = { id: first.id, name: 'ci', role: 'deploy', stacks: ['shop/*'] }
  expect(await authenticate(deps(), second.token)).toEqual(caller)
  expect(await authenticate(deps(), first.token)).toEqual(caller)
  now += 600_000
  await expect(authenticate(deps(), first.token)).rejects.toMatchObject({
    ...expired,
    message: expect.stringContaining('was rotated'),
  })
  await authenticate(deps(), second.token)
})

test('an overlap of 0 ends all earlier secrets, and no rotation extends the time of a secret', async () => {
  const first = await create(1)
  const second = await rotateToken(deps(), first.id, 3_600)
  const third = await rotateToken(deps(), first.id, 7_200)
  now += 3_600_000
  await expect(authenticate(deps(), first.token)).rejects.toMatchObject(expired)
  await authenticate(deps(), second.token)
  const fourth = await rotateToken(deps(), first.id, 0)
  for (const { token } of [first, second, third])
    await expect(authenticate(deps(), token)).rejects.toMatchObject(expired)
  await authenticate(deps(), fourth.token)
  now += dayMs
  await rotateToken(deps(), first.id, 600)
  await expect(authenticate(deps(), fourth.token)).rejects.toMatchObject(expired)
})

test('after a rotation whose response was lost, a repetition leaves the known secret valid', async () => {
  const first = await create()
  await rotateToken(deps(), first.id, 600)
  const repeated = await rotateToken(deps(), first.id, 600)
  await authenticate(deps(), first.token)
  await authenticate(deps(), repeated.token)
})

test('a rotation whose write fails changes no secret, and a concurrent change is reported', async () => {
  const { id, token } = await create()
  const { documents } = api.platform
  const failing = async (): Promise<never> => {
    throw new Error('the disk is full')
  }
  const failingDeps = { ...deps(), documents: { ...documents, putExpiring: failing } }
  await expect(rotateToken(failingDeps, id, 0)).rejects.toThrow('full')
  await authenticate(deps(), token)
  const racingDeps = {
    ...deps(),
    documents: { ...documents, putExpiring: async () => false as const },
  }
  await expect(rotateToken(racingDeps, id, 0)).rejects.toMatchObject({ code: 'DOCUMENT_CHANGED' })
  await authenticate(deps(), token)
  await expect(rotateToken(deps(), '0'.repeat(16), 0)).rejects.toMatchObject({
    code: 'DOCUMENT_UNKNOWN',
  })
})

test('the store keeps an expired token for as long as it was valid, at most 30 days', async () => {
  const expiries: number[] = []
  const documents = {
    ...api.platform.documents,
    putExpiring: async ({ expiresAt }: { readonly expiresAt: number }) => expiries.push(expiresAt),
  }
  const role = 'read'
  await createToken({ ...deps(), documents }, { name: 'a', role, days: 1 })
  await createToken({ ...deps(), documents }, { name: 'b', role, days: 100 })
  expect(expiries).toEqual([now + 2 * dayMs, now + 100 * dayMs + apiLimits.expiredTokenRetentionMs])
})

test('the routes create and rotate a token, and bound the overlap', async () => {
  const admin = await api.issueToken('admin')
  const created = await api.call(admin, 'POST /v1/tokens', { name: 'x', role: 'read' })
  const { id, expiresAt, createdAt, token } = (await created.json()) as IssuedToken
  expect(Number(expiresAt) - Number(createdAt)).toBe(apiLimits.tokenDaysDefault * dayMs)
  const endless = await api.call(admin, 'POST /v1/tokens', {
    name: 'y',
    role: 'read',
    days: 'never',
  })
  expect(await endless.json()).not.toHaveProperty('expiresAt')
  const rotated = await api.call(admin, `POST /v1/tokens/${id}/rotate`, { overlapSeconds: 60 })
  const { token: newToken } = (await rotated.json()) as { token: string }
  for (const text of [token, newToken])
    expect((await api.call(text, 'GET /v1/whoami')).status).toBe(200)
  const tooLong = { overlapSeconds: apiLimits.overlapSecondsMax + 1 }
  const refusedCall = await api.call(admin, `POST /v1/tokens/${id}/rotate`, tooLong)
  expect([refusedCall.status, await refusedCall.json()]).toMatchObject([
    400,
    { at: 'body.overlapSeconds' },
  ])
  const listed = await (await api.call(admin, 'GET /v1/tokens')).text()
  expect(listed).not.toMatch(/hash|replaced/)
})
