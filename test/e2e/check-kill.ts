import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import {
  initDevStack,
  findLostObjects,
  parseExport,
  readStackState,
  upArgs,
} from './exported-state.ts'

/** The way in which a deployment of 50 creates is killed. */
export interface ProcessKill {
  readonly target: 'process' | 'group'
  /** Number of the provider's objects at which the kill happens. */
  readonly objects: number
}

/**
 * Kills a deployment in the middle and checks the result. All its processes end soon, the next `up`
 * can continue, and no object of the provider is lost.
 */
export async function checkKill({ target, objects }: ProcessKill): Promise<void> {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const running = sandbox.start([...upArgs, '-p', '8'])
    await waitUntil(() => sandbox.listObjects().length >= objects, {
      condition: `${objects} objects`,
    })
    running.kill('SIGKILL', target)
    expect((await running.done).exit).toBe(137)
    await waitUntil(() => sandbox.listProcesses().length === 0, {
      condition: 'the end of all child processes',
      limitMs: 15_000,
    })
    expect(sandbox.listObjects().length).toBeLessThan(50)
    await checkNextDeployment(sandbox)
  } finally {
    sandbox.remove()
  }
}

async function checkNextDeployment(sandbox: Sandbox): Promise<void> {
  const idsBefore = sandbox.listObjects().map(({ id }) => id)
  const nextUp = requireSuccess(await sandbox.run([...upArgs, '-p', '8']))
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = parseExport(text)
  expect(findLostObjects(sandbox, state)).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(50)
  for (const { name, type } of state.pending) {
    expect(type).toBe('creating')
    expect(nextUp.out + nextUp.err).toContain(name)
  }
  // The state contains the object of each earlier create, unless that create is pending.
  const managedIds = new Set(state.resources.map(({ id }) => id))
  const missingIds = idsBefore.filter(id => !managedIds.has(id))
  const pendingNames = new Set(state.pending.map(({ name }) => name))
  expect(missingIds.filter(id => !pendingNames.has(id.replace(/-\d+$/, '')))).toEqual([])
  requireSuccess(
    await sandbox.run(['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']),
  )
  expect((await readStackState(sandbox)).pending).toEqual([])
}
