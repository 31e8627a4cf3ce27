import { expect, test } from 'vitest'
import {
  type BlobHash,
  type DeploymentId,
  deploymentIdOf,
  type EpochMs,
} from '../../shared/records/ids.ts'
import { shop } from '../api/api.fixture.ts'
import { openTestService, shopService } from './service.fixture.ts'

// The defect: an invalid token gives an empty last page, and a negative one the last stacks again.
test.each(['x', '-1', '1.5', '1e3'])(
  'the list of stacks refuses the continuation token %s',
  async token => {
    const service = await openTestService()
    try {
      const admin = `token ${await service.issueToken('admin')}`
      const read = (query: string) => service.call(admin, `GET /api/user/stacks${query}`)
      const refused = await read(`?continuationToken=${token}`)
      expect([refused.status, refused.json['message']]).toEqual([
        400,
        expect.stringContaining(`'${token}' is not the cursor of a page`),
      ])
      const page = { continuationToken: null, stacks: [{ stackName: 'dev' }] }
      expect((await read('')).json).toMatchObject(page)
      expect((await read('?continuationToken=1')).json).toMatchObject({ ...page, stacks: [] })
    } finally {
      await service.close()
    }
  },
)

// The defects: only the oldest deployment can be cancelled, and the newest one stays the active one
// after its end.
test('each open targeted deployment can be cancelled, and the newest one is the active one', async () => {
  const service = await openTestService()
  try {
    const admin = `token ${await service.issueToken('admin')}`
    const { catalog, control } = service.platform
    const input = { command: 'up', message: '', at: 1 as EpochMs } as const
    const deployments: DeploymentId[] = []
    for (const claim of ['a', 'b', 'c'] as BlobHash[]) {
      const { version = 0, targeted = [] } = (await catalog.getStack(shop)) ?? {}
      const expected = { version, targeted }
      const started = await catalog.startTargeted(shop, input, { claim, expected })
      if (started.kind !== 'started') throw new Error(started.kind)
      const holder = { host: 'a', pid: 1, started: 'a', who: 'test' }
      await control.create(started.deployment, holder)
      deployments.push(started.deployment)
    }
    const readActive = async (): Promise<unknown> =>
      (await service.call(admin, `GET ${shopService}`)).json['activeUpdate']
    expect(await readActive()).toBe('deployment-3')
    const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
    await catalog.release(deploymentIdOf(shop, 3), end)
    expect(await readActive()).toBe('deployment-2')
    const cancel = async (number: number): Promise<number> =>
      (await service.call(admin, `POST ${shopService}/update/deployment-${number}/cancel`)).status
    expect([await cancel(1), await cancel(2), await cancel(3)]).toEqual([200, 200, 409])
    const stops = deployments.map(async deployment => (await control.read(deployment))?.stop)
    expect(await Promise.all(stops)).toEqual(['graceful', 'graceful', 'none'])
    for (const number of [1, 2]) await catalog.release(deploymentIdOf(shop, number), end)
    expect(await readActive()).toBe('deployment-3')
  } finally {
    await service.close()
  }
})
