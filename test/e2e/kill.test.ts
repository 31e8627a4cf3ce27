import { test } from 'vitest'
import { checkKilled } from './killed.ts'

test('when a deployment and all that it started is killed, no object is lost', async () => {
  await checkKilled({ whom: 'group', objects: 12 })
})
