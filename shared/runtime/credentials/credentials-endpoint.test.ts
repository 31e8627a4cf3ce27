import { Server } from 'node:net'
import { STSClient } from '@aws-sdk/client-sts'
import { afterEach, expect, test, vi } from 'vitest'
import type { EpochMs } from '../../records/ids.ts'
import { createCredentialsEndpoint } from './credentials-endpoint.ts'
import type { AssumedRole } from '../../platform/aws/roles.ts'
import { silentLogger } from '../../platform/system/logger.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const roleOf = (name: string, durationMs = 3_600_000): AssumedRole => ({
  accessKeyId: `key of ${name}`,
  secretAccessKey: 'secret',
  sessionToken: 'token',
  expiresAt: (Date.now() + durationMs) as EpochMs,
})

const variables = [
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'],
  ...['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_AUTHORIZATION_TOKEN'],
]

test("AWS's SDK finds the credentials by its default chain, and renews them", async () => {
  let readCount = 0
  const take = async (): Promise<AssumedRole> => {
    readCount += 1
    return roleOf(`time ${readCount}`, readCount === 1 ? 60_000 : 3_600_000)
  }
  const offered = await createCredentialsEndpoint(silentLogger).offer('shop', take)
  for (const name of variables) vi.stubEnv(name, offered[name])
  const client = new STSClient({ region: 'eu-test-1' })
  const currentKey = async () => (await client.config.credentials()).accessKeyId
  expect(await currentKey()).toBe('key of time 1')
  // The SDK fetches new credentials while it still uses those that are about to expire.
  await expect.poll(currentKey).toBe('key of time 2')
  expect(await currentKey()).toBe('key of time 2')
  expect(readCount).toBe(2)
  client.destroy()
})

test('a request without the right token, path or method gets no credentials', async () => {
  const { offer } = createCredentialsEndpoint(silentLogger)
  const [one, other] = [
    await offer('one', async () => roleOf('one')),
    await offer('other', async () => roleOf('other')),
  ]
  const request = (env: typeof one, token: string | undefined, method = 'GET') =>
    fetch(env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '', {
      method,
      ...(token === undefined ? {} : { headers: { authorization: token } }),
    })
  const tokenOf = (env: typeof one): string => env['AWS_CONTAINER_AUTHORIZATION_TOKEN'] ?? ''
  const accepted = await request(one, tokenOf(one))
  expect([accepted.status, await accepted.text()]).toEqual([
    200,
    expect.stringContaining('key of one'),
  ])
  const { origin } = new URL(one['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '')
  for (const refused of [
    await request(one, undefined),
    await request(one, ''),
    await request(one, tokenOf(other)),
    await request(one, tokenOf(one), 'POST'),
    await fetch(origin, { headers: { authorization: tokenOf(one) } }),
  ])
    expect([refused.status, await refused.text()]).toEqual([404, '{"code":"NotFound"}'])
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('a role that can no longer be assumed is logged, and a later offer with the same key keeps its address and token', async () => {
  const lines: unknown[] = []
  const logger = { ...silentLogger, write: (...line: readonly unknown[]) => void lines.push(line) }
  const { offer } = createCredentialsEndpoint(logger)
  const first = await offer('shop', async () => roleOf('shop'))
  const again = await offer('shop', async () => {
    throw new Error('the role was taken away')
  })
  expect(again).toEqual(first)
  const answer = await fetch(first['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '', {
    headers: { authorization: first['AWS_CONTAINER_AUTHORIZATION_TOKEN'] ?? '' },
  })
  expect([answer.status, await answer.json()]).toEqual([503, { code: 'RoleRefused' }])
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(lines).toEqual([['error', 'role.refused', { message: 'the role was taken away' }]])
})

// A single failure would otherwise refuse all later offers of the process.
test('an offer after a failure to listen opens another port', async () => {
  vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
    queueMicrotask(() => this.emit('error', new Error('too many open files')))
    return this
  })
  const { offer } = createCredentialsEndpoint(silentLogger)
  await expect(offer('shop', async () => roleOf('shop'))).rejects.toMatchObject({
    code: 'INTERNAL_ASSERTION',
  })
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: url } = await offer('shop', async () =>
    roleOf('shop'),
  )
  expect(url).toMatch(/^http:/)
})
