import { expect, test } from 'vitest'
import { startSupervisor } from './process-supervisor.ts'

test('the close of a supervisor that could not be started resolves', async () => {
  const supervisor = startSupervisor('/nonexistent/sh')
  expect(await supervisor.close()).toBeUndefined()
})
