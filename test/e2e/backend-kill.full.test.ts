import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseCheckpoint } from '../../shared/backends/checkpoint-file.ts'
import { printEnvelope } from '../../shared/state/print-envelope.ts'
import { verifyExport } from '../verifier/verify.ts'
import { findLostObjects, parseExport, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox, waitUntil } from './sandbox.ts'

let sandbox: Sandbox
let folder: string
let env: Record<string, string>
beforeEach(() => {
  sandbox = createSandbox('many')
  folder = join(sandbox.home, '../backend')
  env = { PULUMI_BACKEND_URL: `file://${folder}?create_dir=true` }
})
afterEach(() => sandbox.remove())

const listLocks = (): readonly string[] =>
  readdirSync(join(folder, '.pulumi/locks'), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.json'),
  )
const readCheckpoint = (): string => {
  const stacks = join(folder, '.pulumi/stacks')
  const [name = ''] = readdirSync(stacks, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('/dev.json'),
  )
  return readFileSync(join(stacks, name), 'utf8')
}
const run = async (...args: readonly string[]) => requireSuccess(await sandbox.run(args, { env }))

test('a killed deployment keeps its lock until the next command has recovered the deployment', async () => {
  await run('stack', 'init', 'dev')
  expect(readCheckpoint()).toMatch(
    /^\{"version":3,"checkpoint":\{"stack":"organization\/.*\/dev","latest":/,
  )
  const running = sandbox.start([...upArgs, '-p', '8'], { env })
  await waitUntil(() => sandbox.listObjects().length >= 9, { condition: 'nine objects' })
  expect(listLocks()).toHaveLength(1)
  const checkpointBefore = readCheckpoint()
  running.kill('SIGKILL', 'group')
  await running.done
  expect(listLocks()).toHaveLength(1)
  expect(readCheckpoint()).toBe(checkpointBefore)

  await run(...upArgs, '-p', '8')
  expect(listLocks()).toEqual([])
  const text = await printEnvelope(parseCheckpoint(Buffer.from(readCheckpoint()), 'dev.json'))
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = parseExport(text)
  expect(findLostObjects(sandbox, state)).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(50)
  expect(existsSync(join(sandbox.home, 'store'))).toBe(false)
  const history = JSON.parse((await run('stack', 'history', '-s', 'dev', '--json')).out) as object[]
  expect(history).toMatchObject([{ result: 'succeeded' }, { result: 'interrupted' }])
})

test('an upgrade of the layout is refused until cancel has closed a killed deployment', async () => {
  env['PULUMI_DIY_BACKEND_LEGACY_LAYOUT'] = 'true'
  await run('stack', 'init', 'dev')
  const running = sandbox.start([...upArgs, '-p', '8'], { env })
  await waitUntil(() => sandbox.listObjects().length >= 9, { condition: 'nine objects' })
  running.kill('SIGKILL', 'group')
  await running.done
  const refused = await sandbox.run(['state', 'upgrade', '--yes'], { env })
  expect(refused.err).toContain("error[STACK_BUSY]: deployment 1 of the stack 'dev' in ")
  expect(existsSync(join(folder, '.pulumi/meta.yaml'))).toBe(false)
  await run('cancel', '-s', 'dev', '--yes')
  expect((await run('state', 'upgrade', '--yes')).err).toContain('Upgraded 1 of 1 stacks')
  const text = await printEnvelope(parseCheckpoint(Buffer.from(readCheckpoint()), 'dev.json'))
  expect(findLostObjects(sandbox, parseExport(text))).toEqual([])
})
