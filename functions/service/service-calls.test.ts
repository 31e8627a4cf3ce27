import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { createRateLimiter } from '../../shared/api/rate-limit.ts'
import { openTestService, shopService } from './service.fixture.ts'
import { answerServiceCall, createCallDeps } from '../../shared/pulumi-service/service-calls.ts'
import { honoPathOf, updatePath } from '../../shared/pulumi-service/service-route.ts'

// Without a limit, calls with invented lease tokens could read documents at any rate.
test('calls with a wrong lease token are limited per address, and those with the right one are not', async () => {
  const service = await openTestService()
  try {
    const { path, lease } = await service.startUpdate(`token ${await service.issueToken('admin')}`)
    let address = '192.0.2.1'
    const wrongLeaseLimiter = createRateLimiter(
      { monotonicMs: () => 0 },
      { burst: 3, perSecond: 1 },
    )
    const deps = { ...createCallDeps(service.platform, () => address), wrongLeaseLimiter }
    const route = {
      ...({ method: 'POST', path: `${updatePath}/anything`, role: 'lease' } as const),
      run: () => Promise.resolve({}),
    }
    const app = new Hono().post(honoPathOf(route), context =>
      answerServiceCall(deps, route, context),
    )
    const call = async (authorization: string, update = path): Promise<number> => {
      const init = { method: 'POST', headers: { authorization } }
      return (await app.request(`${update}/anything`, init)).status
    }
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await call(lease)).toBe(200)
    const unknown = `${shopService}/update/00000000-0000-0000-0000-000000000000`
    const statuses = [
      ...[await call('update-token x'), await call(lease, unknown)],
      ...[await call('update-token x'), await call('update-token x'), await call(lease, unknown)],
    ]
    expect(statuses).toEqual([403, 404, 403, 429, 429])
    address = '192.0.2.2'
    expect(await call(lease)).toBe(200)
  } finally {
    await service.close()
  }
})
