import { expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { createRoleAssumer } from './roles.ts'

const stack = 'organization/shop/prod' as StackId
const role = 'arn:aws:iam::123456789012:role/shop'

/**
 * Creates an assumer of roles over a service that records its requests. The service refuses with
 * the error name in `refuses`, unless that is empty.
 */
function createTestAssumer() {
  const requests: Record<string, unknown>[] = []
  const service = { refuses: '' }
  let now = 0
  const sts = {
    send: async ({ input }: { readonly input: Record<string, unknown> }) => {
      requests.push(input)
      if (service.refuses !== '')
        throw Object.assign(new Error('is not authorized to perform'), { name: service.refuses })
      const Expiration = new Date(now + 3_600_000)
      const AccessKeyId = `id ${requests.length}`
      return { Credentials: { AccessKeyId, SecretAccessKey: 's', SessionToken: 't', Expiration } }
    },
  }
  const clock = { now: () => now as EpochMs }
  const assume = createRoleAssumer({ sts: sts as never, installation: 'antichain', clock })
  return { assume, requests, service, advance: (ms: number) => void (now += ms) }
}

test('the external id of a request contains the installation and the stack', async () => {
  const { assume, requests } = createTestAssumer()
  expect(await assume(role, stack)).toMatchObject({ accessKeyId: 'id 1', expiresAt: 3_600_000 })
  expect(requests[0]).toMatchObject({
    RoleArn: role,
    ExternalId: 'antichain/organization/shop/prod',
    RoleSessionName: 'antichain-organization-shop-prod',
  })
})

test('valid credentials are reused, for the same stack only', async () => {
  const { assume, requests, advance } = createTestAssumer()
  await assume(role, stack)
  advance(30 * 60_000)
  expect((await assume(role, stack)).accessKeyId).toBe('id 1')
  expect((await assume(role, 'organization/shop/dev' as StackId)).accessKeyId).toBe('id 2')
  // Credentials are valid for an hour, and are renewed when 20 minutes or less remain.
  advance(15 * 60_000)
  expect((await assume(role, stack)).accessKeyId).toBe('id 3')
  expect(requests).toHaveLength(3)
})

test('concurrent callers share one request', async () => {
  const { assume, requests } = createTestAssumer()
  const all = await Promise.all([assume(role, stack), assume(role, stack), assume(role, stack)])
  expect(new Set(all.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['id 1']))
  expect(requests).toHaveLength(1)
})

test('the error of a refused role contains the external id, and throttling is another error', async () => {
  const { assume, service } = createTestAssumer()
  service.refuses = 'AccessDenied'
  await expect(assume(role, stack)).rejects.toMatchObject({
    code: 'STACK_ROLE_REFUSED',
    message: expect.stringMatching(/role\/shop .*'antichain\/organization\/shop\/prod'/),
  })
  service.refuses = 'ThrottlingException'
  await expect(assume(role, stack)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('credentials that cannot be renewed are used until they expire', async () => {
  const { assume, service, advance } = createTestAssumer()
  await assume(role, stack)
  advance(45 * 60_000)
  service.refuses = 'ThrottlingException'
  expect((await assume(role, stack)).accessKeyId).toBe('id 1')
  advance(16 * 60_000)
  await expect(assume(role, stack)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  service.refuses = ''
  expect((await assume(role, stack)).accessKeyId).toBe('id 4')
})
