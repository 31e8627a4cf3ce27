import { expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { createRoles } from './roles.ts'

const stack = 'organization/shop/prod' as StackId
const role = 'arn:aws:iam::123456789012:role/shop'

/** Roles whose service counts what it was asked. */
function roles() {
  const asked: Record<string, unknown>[] = []
  let now = 0
  const sts = {
    send: async ({ input }: { readonly input: Record<string, unknown> }) => {
      asked.push(input)
      const n = asked.length
      return {
        Credentials: { AccessKeyId: `id ${n}`, SecretAccessKey: 's', SessionToken: 't' },
      }
    },
  }
  const clock = { now: () => now as EpochMs }
  const take = createRoles({ sts: sts as never, installation: 'antichain', clock })
  return { take, asked, pass: (ms: number) => void (now += ms) }
}

test('a role is asked for with the installation and the stack as its external id', async () => {
  const { take, asked } = roles()
  expect((await take(role, stack)).accessKeyId).toBe('id 1')
  expect(asked[0]).toMatchObject({
    RoleArn: role,
    ExternalId: 'antichain/organization/shop/prod',
    RoleSessionName: 'antichain-organization-shop-prod',
  })
})

test('credentials are given out again while they last, to the same stack only', async () => {
  const { take, asked, pass } = roles()
  await take(role, stack)
  pass(30 * 60_000)
  expect((await take(role, stack)).accessKeyId).toBe('id 1')
  expect((await take(role, 'organization/shop/dev' as StackId)).accessKeyId).toBe('id 2')
  pass(15 * 60_000)
  expect((await take(role, stack)).accessKeyId).toBe('id 3')
  expect(asked).toHaveLength(3)
})
