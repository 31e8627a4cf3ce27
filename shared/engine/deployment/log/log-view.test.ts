import { expect, test } from 'vitest'
import type { BlobHash } from '../../../records/ids.ts'
import { readPlanPage } from './log-view.ts'

test('a plan page that is not JSON or not a list of operations is refused as damaged', async () => {
  for (const text of ['[{', '{}', '[{"id":1}]']) {
    const blobs = { put: () => Promise.reject(new Error('no')), get: async () => Buffer.from(text) }
    await expect(readPlanPage(blobs, 'h' as BlobHash)).rejects.toMatchObject({
      code: 'STATE_INVALID',
    })
  }
})
