import { afterEach, expect, test } from 'vitest'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { openTestApi, type TestApi } from './api.fixture.ts'
import { callApiInProcess } from './call-in-process.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

test('a path with an invalid escape is refused with a code, as with HTTP', async () => {
  api = await openTestApi()
  const { call, platform } = api
  const admin = await api.issueToken('admin')
  const ports = { ...platform, execute: 'here', addresses: {}, outbound: createOutbound() } as const
  for (const [path, code] of [
    ['/v1/%', 'API_ROUTE_UNKNOWN'],
    ['/v1/stacks/%E0/dev', 'API_INPUT_INVALID'],
  ] as const) {
    const result = callApiInProcess(ports, 'ann', { method: 'GET', path })
    await expect(result).rejects.toMatchObject({ code })
    expect(await (await call(admin, `GET ${path}`)).json()).toMatchObject({ code })
  }
})
