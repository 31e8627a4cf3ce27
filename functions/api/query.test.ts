import { afterEach, expect, test } from 'vitest'
import { stackIdOf } from '../../shared/records/ids.ts'
import { openTestApi, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

test('a query sees only the stacks of its token, and an error of the SQL is a bad request', async () => {
  api = await openTestApi()
  await api.platform.catalog.createStack(stackIdOf('other', 'prod'), api.platform.clock.now())
  const body = { sql: 'select project, stack, version from stacks order by 1' }
  const limited = await api.issueToken('read', ['shop/dev'])
  const whole = await api.issueToken('read')
  const readRows = async (token: string, more: object = {}): Promise<unknown> => {
    const response = await api?.call(token, 'POST /v1/query', { ...body, ...more })
    return [response?.status, await response?.json()]
  }
  const rest = { isTruncated: false, unreadable: [], columns: ['project', 'stack', 'version'] }
  expect(await readRows(limited)).toEqual([200, { rows: [['shop', 'dev', 0]], ...rest }])
  const all = [
    ['other', 'prod', 0],
    ['shop', 'dev', 0],
  ]
  expect(await readRows(whole)).toEqual([200, { rows: all, ...rest }])
  expect(await readRows(limited, { project: 'other' })).toEqual([200, { rows: [], ...rest }])
  expect(await readRows(whole, { sql: 'drop table stacks' })).toMatchObject([
    400,
    { code: 'QUERY_INVALID' },
  ])
})
