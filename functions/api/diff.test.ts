import { afterEach, expect, test } from 'vitest'
import { openTestApi, shopPath, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

test('a comparison with a version that does not exist is refused, and version 0 is empty', async () => {
  api = await openTestApi()
  const token = await api.issueToken('read')
  const compare = async (query: string): Promise<unknown> => {
    const response = await api?.call(token, `GET ${shopPath}/diff?${query}`)
    return [response?.status, await response?.json()]
  }
  expect(await compare('from=0&to=0')).toMatchObject([200, { changes: [], changeCount: 0 }])
  expect(await compare('from=0&to=4')).toMatchObject([404, { code: 'MOMENT_UNKNOWN' }])
  expect(await compare('from=-1&to=0')).toMatchObject([400, { code: 'API_INPUT_INVALID' }])
  expect(await compare('from=0')).toMatchObject([400, { code: 'API_INPUT_INVALID' }])
})
