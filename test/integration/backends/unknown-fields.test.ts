import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from './command-bench.ts'

let bench: CommandBench
beforeEach(() => {
  bench = createCommandBench()
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const run = async (...args: readonly string[]) => {
  const result = await bench.run(...args)
  expect([args, result.exit, result.err]).toEqual([args, 0, expect.any(String)])
  return result.out
}
const urn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
/** The value of the unknown field `later`, which only a later version knows. */
const later = { b: [null, -1], a: 'é' }

/** Writes an exported state with an unknown field at each level, and imports it. */
async function importState(): Promise<void> {
  const resource = { urn, custom: false, type: 'pulumi:pulumi:Stack', later }
  const manifest = { time: '2026-01-01T00:00:00Z', magic: '', version: '', later }
  const deployment = { manifest, resources: [resource], metadata: { later }, later }
  const file = join(bench.root, 'state.json')
  writeFileSync(file, JSON.stringify({ version: 3, deployment, later }))
  await run('stack', 'init', 'dev')
  await run('stack', 'import', '-s', 'dev', '--file', file)
}
const expectUnknownFields = (exported: string): void => {
  const envelope = JSON.parse(exported)
  expect(Object.keys(envelope)).toEqual(['version', 'deployment', 'later'])
  const { deployment } = envelope
  const levels = [envelope, deployment, deployment.manifest, deployment.metadata]
  for (const level of [...levels, deployment.resources[0]]) expect(level.later).toEqual(later)
}

test.each(['the store of this machine', 'a backend'])(
  'unknown fields survive imports, edits, a rollback, a rename and exports in %s',
  async place => {
    const folder = join(bench.root, 'backend')
    mkdirSync(folder)
    const isBackend = place === 'a backend'
    if (isBackend) bench.env['PULUMI_BACKEND_URL'] = `file://${folder}`
    await importState()
    expectUnknownFields(await run('stack', 'export', '-s', 'dev'))
    await run('state', 'protect', urn, '-s', 'dev', '--yes')
    expectUnknownFields(await run('stack', 'export', '-s', 'dev'))
    await run('stack', 'rollback', '--to', isBackend ? '2' : '1', '-s', 'dev', '--yes')
    expectUnknownFields(await run('stack', 'export', '-s', 'dev'))
    await run('stack', 'rename', 'qa', '-s', 'dev')
    const exported = await run('stack', 'export', '-s', 'qa')
    expectUnknownFields(exported)
    expectUnknownFields(await run('stack', 'export', '-s', 'qa', '--show-secrets'))
    if (!isBackend) return
    const checkpoint = JSON.parse(readFileSync(join(folder, '.pulumi/stacks/shop/qa.json'), 'utf8'))
    expect(Object.keys(checkpoint)).toEqual(['version', 'checkpoint', 'later'])
    const { deployment, ...envelope } = JSON.parse(exported)
    expect({ ...envelope, deployment: checkpoint.checkpoint.latest }).toEqual({
      ...envelope,
      deployment,
    })
  },
)

test('unknown fields of a checkpoint that another client wrote survive edits and renames', async () => {
  const folder = join(bench.root, 'backend')
  mkdirSync(folder)
  bench.env['PULUMI_BACKEND_URL'] = `file://${folder}`
  await importState()
  const pathOf = (stack: string): string => join(folder, `.pulumi/stacks/shop/${stack}.json`)
  const { version, checkpoint } = JSON.parse(readFileSync(pathOf('dev'), 'utf8'))
  const { stack, latest } = checkpoint
  const changed = { version, checkpoint: { stack, config: { 'shop:a': 'b' }, latest }, next: later }
  writeFileSync(pathOf('dev'), JSON.stringify(changed))
  await run('state', 'protect', urn, '-s', 'dev', '--yes')
  const edited = JSON.parse(readFileSync(pathOf('dev'), 'utf8'))
  expect(edited.checkpoint.latest.resources[0].protect).toBe(true)
  await run('stack', 'rename', 'qa', '-s', 'dev')
  const renamed = JSON.parse(readFileSync(pathOf('qa'), 'utf8'))
  for (const file of [edited, renamed]) {
    expect(Object.keys(file)).toEqual(['version', 'checkpoint', 'next'])
    expect(file).toMatchObject({ checkpoint: { config: { 'shop:a': 'b' } }, next: later })
  }
})

test.each(['the store of this machine', 'a backend'])(
  'the unknown fields of an envelope without a deployment survive imports and exports in %s',
  async place => {
    const folder = join(bench.root, 'backend')
    mkdirSync(folder)
    if (place === 'a backend') bench.env['PULUMI_BACKEND_URL'] = `file://${folder}`
    const file = join(bench.root, 'state.json')
    writeFileSync(file, JSON.stringify({ version: 3, deployment: null, later }))
    await run('stack', 'init', 'dev')
    await run('stack', 'import', '-s', 'dev', '--file', file)
    expect(JSON.parse(await run('stack', 'export', '-s', 'dev')).later).toEqual(later)
    await run('stack', 'rename', 'qa', '-s', 'dev')
    expect(JSON.parse(await run('stack', 'export', '-s', 'qa')).later).toEqual(later)
  },
)

test('unknown fields of a checkpoint with a null state survive exports, renames and copies', async () => {
  const folder = join(bench.root, 'backend')
  mkdirSync(join(folder, '.pulumi/stacks/shop'), { recursive: true })
  writeFileSync(join(folder, '.pulumi/meta.yaml'), 'version: 1\n')
  const pathOf = (stack: string): string => join(folder, `.pulumi/stacks/shop/${stack}.json`)
  const checkpoint = { stack: 'organization/shop/dev', later, latest: null }
  writeFileSync(pathOf('dev'), JSON.stringify({ version: 3, checkpoint, later }))
  await run('stack', 'import', '--from', `file://${folder}`, '--yes')
  expect(JSON.parse(await run('stack', 'export', '-s', 'dev')).later).toEqual(later)
  bench.env['PULUMI_BACKEND_URL'] = `file://${folder}`
  expect(JSON.parse(await run('stack', 'export', '-s', 'dev')).later).toEqual(later)
  await run('stack', 'rename', 'qa', '-s', 'dev')
  const renamed = JSON.parse(readFileSync(pathOf('qa'), 'utf8'))
  expect([renamed.later, renamed.checkpoint.later]).toEqual([later, later])
})
