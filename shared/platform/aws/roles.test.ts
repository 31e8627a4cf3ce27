import { expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { createRoleAssumer } from './roles.ts'

const stack = 'organization/shop/prod' as StackId
const role = 'arn:aws:iam::123456789012:role/shop'

/** Roles whose service counts what it was asked, and refuses when told so. */
function roles() {
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

test('a role is asked for with the installation and the stack as its external id', async () => {
  const { take, requests } = roles()
  expect(await take(role, stack)).toMatchObject({ accessKeyId: 'id 1', expiresAt: 3_600_000 })
  expect(requests[0]).toMatchObject({
    RoleArn: role,
    ExternalId: 'antichain/organization/shop/prod',
    RoleSessionName: 'antichain-organization-shop-prod',
  })
})

test('credentials are given out again while they last, to the same stack only', async () => {
  const { take, requests, pass } = roles()
  await take(role, stack)
  pass(30 * 60_000)
  expect((await take(role, stack)).accessKeyId).toBe('id 1')
  expect((await take(role, 'organization/shop/dev' as StackId)).accessKeyId).toBe('id 2')
  pass(15 * 60_000)
  expect((await take(role, stack)).accessKeyId).toBe('id 3')
  expect(requests).toHaveLength(3)
})

test('who asks while another one waits is given the same', async () => {
  const { take, requests } = roles()
  const all = await Promise.all([take(role, stack), take(role, stack), take(role, stack)])
  expect(new Set(all.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['id 1']))
  expect(requests).toHaveLength(1)
})

test('a role that refuses a stack is named with the external id that it was shown', async () => {
  const { take, service } = roles()
  service.refuses = 'AccessDenied'
  await expect(take(role, stack)).rejects.toMatchObject({
    code: 'STACK_ROLE_REFUSED',
    message: expect.stringMatching(/role\/shop .*'antichain\/organization\/shop\/prod'/),
  })
  service.refuses = 'ThrottlingException'
  await expect(take(role, stack)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('what cannot be renewed is given out until it ends', async () => {
  const { take, service, pass } = roles()
  await take(role, stack)
  pass(45 * 60_000)
  service.refuses = 'ThrottlingException'
  expect((await take(role, stack)).accessKeyId).toBe('id 1')
  pass(16 * 60_000)
  await expect(take(role, stack)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  service.refuses = ''
  expect((await take(role, stack)).accessKeyId).toBe('id 4')
})
