import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from './command-bench.ts'

const fixture = join(import.meta.dirname, '../../fixtures/backends/legacy')
let bench: CommandBench
beforeEach(async () => {
  bench = createCommandBench()
  cpSync(fixture, join(bench.root, 'state'), { recursive: true })
  bench.env['PULUMI_BACKEND_URL'] = 'file://./state'
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const run = async (...args: readonly string[]) => {
  const result = await bench.run(...args)
  expect([args, result.exit, result.err]).toEqual([args, 0, expect.any(String)])
  return result
}
const pathOf = (name: string): string => join(bench.root, 'state/.pulumi', name)
const readObject = (name: string): string => readFileSync(pathOf(name), 'utf8')
const listObjects = (name: string): readonly string[] =>
  existsSync(pathOf(name))
    ? readdirSync(pathOf(name), { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter(entry => entry.isFile() && !entry.name.endsWith('.attrs'))
        .map(({ parentPath, name: file }) => join(parentPath, file).slice(pathOf(name).length + 1))
        .toSorted()
    : []
const useProject = (name: string): void =>
  writeFileSync(join(bench.root, 'Pulumi.yaml'), `name: ${name}\nruntime: yaml\n`)
const listNames = async (...args: readonly string[]): Promise<readonly string[]> =>
  JSON.parse((await run('stack', 'ls', '-j', ...args)).out).map(
    ({ name }: { name: string }) => name,
  )
const urn = 'urn:pulumi:old::shop::pulumi:pulumi:Stack::shop-old'

test('login warns of the legacy layout, unless a variable disables the warning', async () => {
  const login = ['login', 'file://./state']
  expect((await run(...login)).err).toMatch(/legacy layout.*antichain state upgrade/s)
  for (const name of ['IGNORE_DEPRECATION_ERROR', 'IGNORE_DEPRECATION_WARNING']) {
    bench.env[`PULUMI_DIY_BACKEND_${name}`] = 'true'
    expect((await run(...login)).err).not.toContain('legacy layout')
    delete bench.env[`PULUMI_DIY_BACKEND_${name}`]
  }
  expect(existsSync(pathOf('meta.yaml'))).toBe(false)
})

test.each(['PULUMI_DIY_BACKEND_LEGACY_LAYOUT', 'PULUMI_SELF_MANAGED_STATE_LEGACY_LAYOUT'])(
  'login with %s writes no metadata into a new backend',
  async name => {
    mkdirSync(join(bench.root, 'fresh'))
    bench.env[name] = 'true'
    expect((await run('login', 'file://./fresh')).err).toContain('legacy layout')
    expect(readdirSync(join(bench.root, 'fresh'))).toEqual([])
  },
)

test('stacks are read, edited, created and removed under their legacy keys', async () => {
  const before = readObject('stacks/old.json')
  await run('state', 'protect', urn, '-s', 'old', '--yes')
  expect(readObject('stacks/old.json.bak')).toBe(before)
  const after = JSON.parse(readObject('stacks/old.json'))
  expect(after.checkpoint.stack).toBe('old')
  expect(after.checkpoint.latest.resources[0].protect).toBe(true)
  await run('stack', 'init', 'qa')
  expect(readObject('stacks/qa.json.bak')).toBe('{"version":0,"checkpoint":{"stack":"qa"}}')
  expect(readObject('stacks/qa.json')).toMatch(/^\{"version":3,"checkpoint":\{"stack":"qa",/)
  expect(await listNames()).toEqual(['old', 'qa'])
  expect((await bench.run('stack', 'init', 'old')).err).toContain('STACK_EXISTS')
  await run('stack', 'rm', 'qa', '--yes')
  expect(listObjects('stacks')).toEqual(['old.json', 'old.json.bak', 'qa.json.bak'])
  expect([listObjects('locks'), existsSync(pathOf('meta.yaml'))]).toEqual([[], false])
})

test('a rename moves history and tags', async () => {
  await run('stack', 'tag', 'set', 'owner', 'me', '-s', 'old')
  expect(readObject('stacks/old.pulumi-tags')).toBe('{"version":1,"tags":{"owner":"me"}}')
  await run('stack', 'rename', 'qa', '-s', 'old')
  expect(listObjects('stacks')).toEqual([...['old.json.bak', 'qa.json', 'qa.pulumi-tags']])
  expect(listObjects('history')).toEqual([
    ...['checkpoint', 'history'].map(name => `qa/qa-1795648365088218795.${name}.json`),
  ])
  expect(readObject('stacks/qa.json')).toContain('urn:pulumi:qa::shop::')
})

test('a rename of a stack without a state writes its checkpoint once', async () => {
  const created = JSON.stringify({ version: 0, checkpoint: { stack: 'empty' } })
  writeFileSync(pathOf('stacks/empty.json'), created)
  await run('stack', 'rename', 'none', '-s', 'empty')
  expect(JSON.parse(readObject('stacks/none.json'))).toEqual({
    version: 3,
    checkpoint: { stack: 'none' },
  })
  expect(listObjects('stacks')).not.toContain('none.json.bak')
})

test('a lock of another client is found under its legacy key', async () => {
  mkdirSync(pathOf('locks/old'), { recursive: true })
  const holder = { pid: 7, username: 'eve', hostname: 'laptop', timestamp: '2026-01-01T00:00:00Z' }
  writeFileSync(pathOf('locks/old/a.json'), JSON.stringify(holder))
  const edit = ['state', 'protect', urn, '-s', 'old', '--yes']
  expect((await bench.run(...edit)).err).toMatch(/BACKEND_LOCKED.*eve@laptop/)
  expect((await run('cancel', '-s', 'old', '--yes')).err).toContain("Removed 1 lock of 'old'")
  await run(...edit)
})

test('the name without a project finds a stack from every folder, but deployments need its project', async () => {
  const { out } = await run('stack', 'export', '-s', 'old')
  await run('stack', 'init', 'empty')
  useProject('mall')
  expect((await run('stack', 'export', '-s', 'old')).out).toBe(out)
  expect((await run('stack', 'export', '-s', 'shop/old')).out).toBe(out)
  expect((await bench.run('stack', 'export', '-s', 'mall/old')).err).toContain('STACK_NOT_FOUND')
  expect((await bench.run('up', '-s', 'old', '--yes', '--skip-preview')).err).toContain(
    "the stack belongs to project 'shop', not 'mall'",
  )
  for (const args of [[], ['-a'], ['-p', 'other']])
    expect(await listNames(...args)).toEqual(['empty', 'old'])
  rmSync(join(bench.root, 'Pulumi.yaml'))
  expect(await listNames()).toEqual(['empty', 'old'])
  expect((await run('stack', 'export', '-s', 'old')).out).toBe(out)
  expect((await run('stack', 'export', '-s', 'empty')).out).toContain('"secrets_providers"')
})

test('an upgrade moves stacks to projects, and skips stacks without one', async () => {
  await run('stack', 'init', 'empty')
  await run('stack', 'tag', 'set', 'owner', 'me', '-s', 'old')
  const exported = (await run('stack', 'export', '-s', 'old')).out
  const history = (await run('stack', 'history', '-s', 'old', '-j')).out
  const checkpoint = readObject('stacks/old.json')
  const refused = await bench.run('state', 'upgrade')
  expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('--yes')])
  const { err } = await run('state', 'upgrade', '--yes')
  expect(err).toContain("skipped the stack 'empty': its project is not known")
  expect(err).toContain('Upgraded 1 of 2 stacks')
  expect(readObject('meta.yaml')).toBe('version: 1\n')
  expect(readObject('stacks/shop/old.json')).toBe(checkpoint)
  expect(listObjects('stacks')).toEqual([
    ...['empty.json', 'empty.json.bak', 'old.json.bak', 'shop/old.json', 'shop/old.pulumi-tags'],
  ])
  expect(listObjects('history')).toEqual([
    ...['checkpoint', 'history'].map(name => `shop/old/old-1795648365088218795.${name}.json`),
  ])
  expect(await listNames()).toEqual(['old'])
  expect((await run('stack', 'export', '-s', 'old')).out).toBe(exported)
  expect((await run('stack', 'history', '-s', 'old', '-j')).out).toBe(history)
  expect((await run('login', 'file://./state')).err).toMatch(/commands ignore: empty\./)
  bench.env['PULUMI_SELF_MANAGED_STATE_NO_LEGACY_WARNING'] = 'true'
  expect((await run('login', 'file://./state')).err).not.toContain('empty')
})

test('a locked stack refuses the upgrade, until the lock is removed', async () => {
  mkdirSync(pathOf('locks/old'), { recursive: true })
  const holder = { pid: 7, username: 'eve', hostname: 'laptop', timestamp: '2026-01-01T00:00:00Z' }
  writeFileSync(pathOf('locks/old/a.json'), JSON.stringify(holder))
  const refused = await bench.run('state', 'upgrade', '--yes')
  expect([refused.exit === 0, refused.err]).toEqual([
    false,
    expect.stringMatching(/error\[BACKEND_LOCKED\].*locked by eve@laptop/),
  ])
  expect(existsSync(pathOf('meta.yaml'))).toBe(false)
  expect((await run('cancel', '-s', 'old', '--yes')).err).toContain("Removed 1 lock of 'old'")
  expect((await run('state', 'upgrade', '--yes')).err).toContain('Upgraded 1 of 1 stacks')
  expect((await run('state', 'upgrade', '--yes')).err).toContain('Nothing to upgrade')
})
