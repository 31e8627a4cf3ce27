/** The environments of a function in the local cloud. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { createFleet, type Fleet } from '../../infra/local-cloud/fleet.ts'
import { startSupervisor } from '../../shared/platform/system/process-supervisor.ts'

const root = mkdtempSync(join(tmpdir(), 'antichain-fleet-'))
const supervisor = startSupervisor()
const completedCallPids: number[] = []
let fleet: Fleet

/** Writes a bundle whose handler returns a value. Returns its folder. */
function writeBundle(value: number): string {
  const folder = join(root, `code-${value}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'main.mjs'), `export const handler = async () => ${value}`)
  return folder
}

beforeEach(() => {
  completedCallPids.length = 0
  fleet = createFleet({
    name: 'test-function',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:test-function',
    bundleFolder: writeBundle(1),
    parentFolder: join(root, 'environments'),
    memoryMb: 512,
    limitMs: 20_000,
    idleMs: 60_000,
    allowsRecursion: false,
    variables: {},
    supervisor,
    onLine: () => undefined,
    onCall: ({ pid }) => void completedCallPids.push(pid),
  })
})
afterEach(() => fleet.end())
afterAll(async () => {
  await supervisor.close()
  rmSync(root, { recursive: true, force: true })
})

test('the end of a fleet waits for an environment that is still starting', async () => {
  const call = fleet.invoke({})
  await fleet.end()
  expect([completedCallPids.length, fleet.listEnvironments()]).toEqual([1, []])
  expect(await call).toEqual({ kind: 'died', reason: 'the cloud has ended' })
  expect(await fleet.invoke({})).toMatchObject({ kind: 'died' })
})

test('an environment that starts during an upgrade serves one call with the earlier code', async () => {
  const call = fleet.invoke({})
  fleet.replaceCode(writeBundle(2))
  expect(await call).toEqual({ kind: 'answered', json: '1' })
  await expect.poll(() => fleet.listEnvironments()).toEqual([])
  expect(await fleet.invoke({})).toEqual({ kind: 'answered', json: '2' })
})
