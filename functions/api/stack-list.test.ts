import { afterEach, expect, test } from 'vitest'
import { openTestApi, shop, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined
afterEach(() => api?.close())

test('the list of stacks has the last deployment of each stack only when the query requests it', async () => {
  api = await openTestApi()
  const { call, issueToken, platform } = api
  const token = await issueToken('read')
  const list = async (query: string): Promise<{ readonly last?: object }[]> => {
    const response = await call(token, `GET /v1/stacks${query}`)
    return ((await response.json()) as { items: { last?: object }[] }).items
  }
  expect((await list('?last=true'))[0]).not.toHaveProperty('last')
  const start = { command: 'up', message: 'first', by: 'ada', at: platform.clock.now() } as const
  await platform.catalog.start(shop, start)
  expect((await list('?last=true'))[0]?.last).toMatchObject({
    number: 1,
    command: 'up',
    message: 'first',
    by: 'ada',
  })
  expect((await list(''))[0]).not.toHaveProperty('last')
})
