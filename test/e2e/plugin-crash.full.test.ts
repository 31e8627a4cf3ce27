import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, lostObjects, readExport, upArgs } from './exported-state.ts'

/** Calls take long enough that a kill hits some of them. */
const env = { DELAY: '1000' }

/** Kills the provider's process in the middle of its calls. */
async function killPlugin(place: Place): Promise<void> {
  await new Promise(done => setTimeout(done, 400))
  const plugins = place
    .listProcesses()
    .filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('golden/provider/main.js'))
  expect(plugins.length).toBeGreaterThan(0)
  for (const pid of plugins) process.kill(pid, 'SIGKILL')
}

test('deletes during which the provider dies are retried by a new process', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    requireSuccess(await place.run([...upArgs, '-p', '16'], { env }))
    const args = ['destroy', '--yes', '--skip-preview', '-s', 'dev', '-p', '8']
    const running = place.start(args, { env })
    await waitUntil(() => place.listObjects().length < 40, { what: 'some deletes' })
    await killPlugin(place)
    const ran = await running.done
    requireSuccess(ran)
    expect(ran.out + ran.err).toContain('retrying')
    expect(place.listObjects()).toEqual([])
    const state = readExport(await place.exportState())
    expect([state.resources, state.pending]).toEqual([[], []])
  } finally {
    place.remove()
  }
}, 240_000)

test('creates during which the provider dies become pending, and the others succeed', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const running = place.start([...upArgs, '-p', '8', '--continue-on-error'], { env })
    await waitUntil(() => place.listObjects().length >= 12, { what: 'some creates' })
    await killPlugin(place)
    const ran = await running.done
    expect(ran.exit).not.toBe(0)
    const text = await place.exportState()
    expect(verifyExport(text, { sealed: true })).toEqual([])
    const state = readExport(text)
    expect(lostObjects(place, state)).toEqual([])
    expect(state.pending.length).toBeGreaterThan(0)
    expect(state.pending.length).toBeLessThanOrEqual(8)
    const creates = place.listCalls().filter(({ call }) => call === 'create')
    expect(new Set(creates.map(({ urn }) => urn)).size).toBe(creates.length)
    // Every fifth resource depends on the previous one, which may be one with an unknown end.
    const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
    expect(things.length).toBeGreaterThanOrEqual(50 - 2 * state.pending.length)
  } finally {
    place.remove()
  }
}, 240_000)
