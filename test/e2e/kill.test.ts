import { test } from 'vitest'
import { checkKilled } from './killed.ts'

test('when a deployment and all that it started is killed, no object is lost', async () => {
  await checkKilled({ whom: 'group', objects: 12 })
})

test('when only the process of a deployment is killed, all ends with it and no object is lost', async () => {
  await checkKilled({ whom: 'process', objects: 25 })
})
