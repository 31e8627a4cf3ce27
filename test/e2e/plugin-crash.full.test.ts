import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, findLostObjects, parseExport, upArgs } from './exported-state.ts'

/** Calls take long enough that a kill hits some of them. */
const env = { DELAY: '1000' }

/** Kills the provider's process in the middle of its calls. */
async function killPlugin(sandbox: Sandbox): Promise<void> {
  await new Promise(done => setTimeout(done, 400))
  const plugins = sandbox
    .listProcesses()
    .filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('golden/provider/main.js'))
  expect(plugins.length).toBeGreaterThan(0)
  for (const pid of plugins) process.kill(pid, 'SIGKILL')
}

test('deletes during which the provider dies are retried by a new process', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    requireSuccess(await sandbox.run([...upArgs, '-p', '16'], { env }))
    const args = ['destroy', '--yes', '--skip-preview', '-s', 'dev', '-p', '8']
    const running = sandbox.start(args, { env })
    await waitUntil(() => sandbox.listObjects().length < 40, { condition: 'some deletes' })
    await killPlugin(sandbox)
    const result = await running.done
    requireSuccess(result)
    expect(result.out + result.err).toContain('retrying')
    expect(sandbox.listObjects()).toEqual([])
    const state = parseExport(await sandbox.exportState())
    expect([state.resources, state.pending]).toEqual([[], []])
  } finally {
    sandbox.remove()
  }
}, 240_000)

test('creates during which the provider dies become pending, and the others succeed', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const running = sandbox.start([...upArgs, '-p', '8', '--continue-on-error'], { env })
    await waitUntil(() => sandbox.listObjects().length >= 12, { condition: 'some creates' })
    await killPlugin(sandbox)
    const result = await running.done
    expect(result.exit).not.toBe(0)
    const text = await sandbox.exportState()
    expect(verifyExport(text, { sealed: true })).toEqual([])
    const state = parseExport(text)
    expect(findLostObjects(sandbox, state)).toEqual([])
    expect(state.pending.length).toBeGreaterThan(0)
    expect(state.pending.length).toBeLessThanOrEqual(8)
    const creates = sandbox.listCalls().filter(({ call }) => call === 'create')
    expect(new Set(creates.map(({ urn }) => urn)).size).toBe(creates.length)
    // Every fifth resource depends on the previous one, whose result may be unknown.
    const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
    expect(things.length).toBeGreaterThanOrEqual(50 - 2 * state.pending.length)
  } finally {
    sandbox.remove()
  }
}, 240_000)
