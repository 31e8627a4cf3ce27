import { expect, test } from 'vitest'
import type { ApiCall } from './api-client.ts'
import { listRemoteStacks } from './remote-stacks.ts'

const itemOf = (id: string) => ({ id, createdAt: 1, current: '', version: 2, deployments: 3 })

test('the list of stacks over an API has the unreadable stacks of all pages once, with their errors', async () => {
  const damaged = { id: 'organization/shop/bad', code: 'RECORD_TOO_NEW' }
  const other = { id: 'organization/shop/odd', code: '' }
  const paths: string[] = []
  const pages = [
    { items: [itemOf('organization/shop/a')], next: 'n/1', unreadable: [damaged, other] },
    { items: [itemOf('organization/shop/b')], unreadable: [damaged] },
  ]
  const call = async ({ path }: ApiCall) => pages[paths.push(path) - 1]
  const { stacks, unreadable } = await listRemoteStacks({ call }, 'shop')
  expect(stacks.map(({ id }) => id)).toEqual(['organization/shop/a', 'organization/shop/b'])
  expect(unreadable).toEqual([
    { id: damaged.id, reason: expect.objectContaining({ code: 'RECORD_TOO_NEW' }) },
    { id: other.id, reason: expect.objectContaining({ code: 'RECORD_DAMAGED' }) },
  ])
  expect(unreadable[0]?.reason.message).toContain(damaged.id)
  expect(paths[1]).toBe('/v1/stacks?limit=100&cursor=n%2F1&project=shop')
})

test('the list of stacks over an API of an older server, without unreadable stacks, is accepted', async () => {
  const call = async () => ({ items: [] })
  expect(await listRemoteStacks({ call })).toEqual({ stacks: [], unreadable: [] })
})
