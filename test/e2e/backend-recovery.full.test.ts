/** Another machine recovers a killed deployment from the journal copy in a backend. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseCheckpoint } from '../../shared/backends/checkpoint-file.ts'
import { fenceCopy, listJournalCopies } from '../../shared/backends/journal-copies.ts'
import { openBackend } from '../../shared/backends/open-backend.ts'
import { parseObjectStoreUrl } from '../../shared/platform/objects/object-store-url.ts'
import { openObjectStore } from '../../shared/platform/objects/open-object-store.ts'
import { type EpochMs, stackIdOf } from '../../shared/records/ids.ts'
import { printEnvelope } from '../../shared/state/print-envelope.ts'
import { verifyExport } from '../verifier/verify.ts'
import { findLostObjects, parseExport, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox, waitUntil } from './sandbox.ts'

let sandbox: Sandbox
let folder: string
let env: Record<string, string>
let otherMachine: Record<string, string>
beforeEach(() => {
  sandbox = createSandbox('many')
  folder = join(sandbox.home, '../backend')
  env = { PULUMI_BACKEND_URL: `file://${folder}?create_dir=true` }
  otherMachine = { ...env, ANTICHAIN_HOME: join(sandbox.home, '../other-home') }
})
afterEach(() => sandbox.remove())

const listFiles = (prefix: string): readonly string[] => {
  const path = join(folder, '.pulumi', prefix)
  if (!existsSync(path)) return []
  return (
    readdirSync(path, { recursive: true, withFileTypes: true })
      // A killed process may leave a temporary file, which is no object.
      .filter(entry => entry.isFile() && !/\.attrs$|\.antichain-tmp-/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name))
  )
}
const readText = (file: string): string => {
  const bytes = readFileSync(file)
  return String(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
}
const run = async (args: readonly string[], variables = env) =>
  requireSuccess(await sandbox.run(args, { env: variables }))
const start = async (objects: number, variables = {}) => {
  const running = sandbox.start([...upArgs, '-p', '8'], { env: { ...env, ...variables } })
  await waitUntil(() => sandbox.listObjects().length >= objects, { condition: 'created objects' })
  return running
}
const readState = async () => {
  const path = listFiles('stacks').find(file => file.endsWith('/dev.json')) ?? ''
  const text = await printEnvelope(parseCheckpoint(readFileSync(path), path))
  expect(verifyExport(text, { sealed: true })).toEqual([])
  return parseExport(text)
}

test.each([
  ['project', {}],
  ['legacy', { PULUMI_DIY_BACKEND_LEGACY_LAYOUT: 'true' }],
])('another machine recovers a killed deployment in the %s layout', async (layout, variables) => {
  env = { ...env, ...variables }
  otherMachine = { ...otherMachine, ...variables }
  await run(['stack', 'init', 'dev'])
  expect(existsSync(join(folder, '.pulumi/stacks/dev.json'))).toBe(layout === 'legacy')
  const running = await start(9)
  running.kill('SIGKILL', 'group')
  await running.done
  expect(listFiles('antichain-journal').length).toBeGreaterThan(2)
  // Without the lock, the other machine does not wait for a sign of life.
  const cancel = await run(['cancel', '-s', 'dev', '--yes'], otherMachine)
  expect(cancel.err).toContain('Removed 1 lock')

  await run([...upArgs, '-p', '8'], otherMachine)
  const state = await readState()
  expect(findLostObjects(sandbox, state)).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(50)
  expect(listFiles('locks')).toEqual([])
  expect(listFiles('antichain-journal')).toHaveLength(1)

  await run([...upArgs, '-p', '8'])
  expect(findLostObjects(sandbox, await readState())).toEqual([])
  // The other machine records the killed deployment as failed, because the history of a backend has
  // only successes and failures. This machine records an interruption.
  const { out } = await run(['stack', 'history', '-s', 'dev', '--json'])
  expect(JSON.parse(out).map(({ result }: { result: string }) => result)).toEqual([
    ...['succeeded', 'succeeded', 'failed', 'interrupted'],
  ])
})

test('another machine recovers a deployment of a stack that a third machine created again', async () => {
  await run(['stack', 'init', 'dev'])
  const state = join(sandbox.home, '../state.json')
  const urn = 'urn:pulumi:dev::many::pulumi:pulumi:Stack::many-dev'
  const resources = [{ urn, custom: false, type: 'pulumi:pulumi:Stack' }]
  writeFileSync(state, JSON.stringify({ version: 3, deployment: { resources } }))
  await run(['stack', 'import', '--file', state, '-s', 'dev'])
  const [checkpoint = ''] = listFiles('stacks').filter(file => file.endsWith('/dev.json'))
  // The third machine removes the stack and creates it again, so the checkpoint has no state.
  writeFileSync(checkpoint, '{"version":0,"checkpoint":{"stack":"organization/many/dev"}}')
  const running = await start(9)
  running.kill('SIGKILL', 'group')
  await running.done
  await run(['cancel', '-s', 'dev', '--yes'], otherMachine)
  await run([...upArgs, '-p', '8'], otherMachine)
  expect(findLostObjects(sandbox, await readState())).toEqual([])
})

test('a deployment whose journal copy another machine fenced begins no further operation', async () => {
  const store = await openObjectStore(parseObjectStoreUrl(`file://${folder}`, '/'), {})
  const backend = await openBackend(store, {})
  await run(['stack', 'init', 'dev'])
  // The creates are slow, so that on a busy machine too the fence comes before the last one.
  const slow = { DELAY: '1500' }
  const running = await start(9, slow)
  const id = stackIdOf('many', 'dev')
  const fence = { host: 'elsewhere', pid: 1, at: Date.now() as EpochMs }
  for (let isFenced = false; !isFenced; ) {
    const [copy] = await listJournalCopies(backend, id)
    if (copy === undefined) throw new Error('the deployment has no copy')
    isFenced = await fenceCopy(backend, id, copy, fence)
  }
  const { exit, err } = await running.done
  expect([exit, err]).toEqual([1, expect.stringContaining('DEPLOYMENT_TAKEN_OVER')])
  expect(sandbox.listObjects().length).toBeLessThan(50)

  await run(['cancel', '-s', 'dev', '--yes'], otherMachine)
  await run([...upArgs, '-p', '8'], { ...otherMachine, ...slow })
  expect(findLostObjects(sandbox, await readState())).toEqual([])
})

test('a journal copy contains no secret in plaintext', async () => {
  const secret = 'plain-hunter2'
  const program = `
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const text = new pulumi.Config().requireSecret('password')
const first = new Thing('first', { text })
new Thing('second', { text: first.id.apply(() => text), delay: 60000 }, { dependsOn: first })
exports.text = text
`
  writeFileSync(join(sandbox.program, 'index.js'), program)
  await run(['stack', 'init', 'dev'])
  await run(['config', 'set', '--secret', 'password', secret, '-s', 'dev'])
  const running = await start(1)
  const listBegins = () => listFiles('').filter(file => readText(file).includes('operations.begin'))
  await waitUntil(() => listBegins().length === 2, { condition: 'a second begin' })
  running.kill('SIGKILL', 'group')
  await running.done
  expect(listFiles('').filter(file => readText(file).includes(secret))).toEqual([])
})
