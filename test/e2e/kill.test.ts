import { test } from 'vitest'
import { checkKill } from './check-kill.ts'

test('when a deployment and all that it started is killed, no object is lost', async () => {
  await checkKill({ whom: 'group', objects: 12 })
})
