import { test } from 'vitest'
import { checkKill } from './check-kill.ts'

test('a kill of a deployment with all its child processes loses no object', async () => {
  await checkKill({ target: 'group', objects: 12 })
})
