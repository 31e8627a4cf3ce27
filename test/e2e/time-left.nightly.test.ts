/** The time left of deployments without a preview, from the history of the stack. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox, waitUntil } from './sandbox.ts'
import { startOnTerminal, type TerminalCommand } from './terminal.ts'

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('many')
  await initDevStack(sandbox)
})

afterEach(() => sandbox.remove())

/** Moves the recorded starts of all deployments 60 s back. */
function lengthenHistory(): void {
  const database = new DatabaseSync(join(sandbox.home, 'store', 'antichain.db'))
  try {
    database.exec(
      "UPDATE history SET begun = json_set(begun, '$.startedAt', json_extract(begun, '$.startedAt') - 60000)",
    )
  } finally {
    database.close()
  }
}

/** Waits until a command shows on its terminal how much time is left. */
async function expectTimeLeft({ readScreen, done }: TerminalCommand): Promise<void> {
  await waitUntil(() => readScreen().includes(' left'), { condition: 'the time left' })
  expect(readScreen()).toMatch(/\d\.\ds, about (1m\d\ds|\d\ds) left/)
  await done
}

test('up with --skip-preview, and resume, show the time left after three similar deployments', async () => {
  for (const count of ['1', '2', '3'])
    requireSuccess(await sandbox.run(upArgs, { env: { COUNT: count, DELAY: '0' } }))
  lengthenHistory()

  // One slot, so that operations remain for the resume.
  const args = [...upArgs, '-p', '1']
  const env = { COUNT: '7', DELAY: '4000', NEEDS: '100' }
  const killed = sandbox.start(args, { env })
  await waitUntil(() => sandbox.listObjects().length >= 4, { condition: 'the fourth object' })
  killed.kill('SIGKILL', 'group')
  await killed.done
  await expectTimeLeft(startOnTerminal(sandbox, ['resume', '--yes', '-s', 'dev'], env))
  await expectTimeLeft(startOnTerminal(sandbox, args, { ...env, DELAY: '3000' }))
})
