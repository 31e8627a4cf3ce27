import { expect, test } from 'vitest'
import { openTestService } from './service.fixture.ts'

// An invalid token gave an empty last page, and a negative one the last stacks again.
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
