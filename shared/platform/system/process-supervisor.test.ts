import { expect, test } from 'vitest'
import { startSupervisor } from './process-supervisor.ts'

test('close resolves even if the supervisor could not be started', async () => {
  const supervisor = startSupervisor('/nonexistent/sh')
  expect(await supervisor.close()).toBeUndefined()
})
