import { expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { createRoleAssumer } from './roles.ts'

const stack = 'organization/shop/prod' as StackId
const role = 'arn:aws:iam::123456789012:role/shop'

/** Creates roles over a service that records its requests and refuses on demand. */
function createTestRoles() {
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
  const take = createRoleAssumer({ sts: sts as never, installation: 'antichain', clock })
  return { take, requests, service, pass: (ms: number) => void (now += ms) }
}

test('the external id of a request contains the installation and the stack', async () => {
  const { take, requests } = createTestRoles()
  expect(await take(role, stack)).toMatchObject({ accessKeyId: 'id 1', expiresAt: 3_600_000 })
  expect(requests[0]).toMatchObject({
    RoleArn: role,
    ExternalId: 'antichain/organization/shop/prod',
    RoleSessionName: 'antichain-organization-shop-prod',
  })
})

test('valid credentials are reused, for the same stack only', async () => {
  const { take, requests, pass } = createTestRoles()
  await take(role, stack)
  pass(30 * 60_000)
  expect((await take(role, stack)).accessKeyId).toBe('id 1')
  expect((await take(role, 'organization/shop/dev' as StackId)).accessKeyId).toBe('id 2')
  pass(15 * 60_000)
  expect((await take(role, stack)).accessKeyId).toBe('id 3')
  expect(requests).toHaveLength(3)
})

test('concurrent callers share one request', async () => {
  const { take, requests } = createTestRoles()
  const all = await Promise.all([take(role, stack), take(role, stack), take(role, stack)])
  expect(new Set(all.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['id 1']))
  expect(requests).toHaveLength(1)
})

test('the error of a refused role contains the external id', async () => {
  const { take, service } = createTestRoles()
  service.refuses = 'AccessDenied'
  await expect(take(role, stack)).rejects.toMatchObject({
    code: 'STACK_ROLE_REFUSED',
    message: expect.stringMatching(/role\/shop .*'antichain\/organization\/shop\/prod'/),
  })
  service.refuses = 'ThrottlingException'
  await expect(take(role, stack)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('credentials that cannot be renewed are used until they expire', async () => {
  const { take, service, pass } = createTestRoles()
  await take(role, stack)
  pass(45 * 60_000)
  service.refuses = 'ThrottlingException'
  expect((await take(role, stack)).accessKeyId).toBe('id 1')
  pass(16 * 60_000)
  await expect(take(role, stack)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  service.refuses = ''
  expect((await take(role, stack)).accessKeyId).toBe('id 4')
})
